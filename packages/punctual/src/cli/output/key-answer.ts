/** How `submit` reports a run, and a key that is taken. */
import type { Submitted } from '@punctual/core/submit'

export function keyAnswer({ id, outcome }: Submitted): string {
  if (outcome === 'created') return `Submitted ${id}`
  return outcome === 'replaced' ? `Replaced ${id}` : `A run with this key exists: ${id}`
}
