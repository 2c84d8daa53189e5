/** A run in calls: its id, or any object that has its `id`. */
import { refuseOption } from '@punctual/core/check'
import { isRunId } from '@punctual/core/run'

/** A run in calls: its id, or any object with its `id`. */
export type RunReference = string | { readonly id: string }

export function idOf(run: RunReference): string {
  const id: unknown = typeof run === 'string' ? run : run?.id
  if (typeof id === 'string' && isRunId(id)) return id.toLowerCase()
  return refuseOption('id', 'the id of a run, which is a UUID', id)
}
