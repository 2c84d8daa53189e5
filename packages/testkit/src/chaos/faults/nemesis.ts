/** A fault: what it does, once, to a randomly chosen target. */
import type { Child } from '../fleet/child.ts'
import type { Fault } from '../plan/evidence.ts'
import type { SeededRandom } from '../plan/seeded-random.ts'
import type { World } from '../world/world.ts'

export interface Nemesis {
  readonly kind: string
  readonly title: string
  /** Injects the fault, waits, repairs it; resolves when the target is healthy. */
  strike(world: World, random: SeededRandom, signal: AbortSignal): Promise<void>
}

/** Waits, or returns early when the campaign ends: the fault is then repaired at once. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}

/** Injects a fault into one process; meanwhile other faults leave that process alone. */
export async function hurt(
  world: World,
  kind: string,
  child: Child,
  work: (fault: Fault) => Promise<void>,
): Promise<void> {
  child.busy = true
  try {
    await world.fault(kind, child, work)
  } finally {
    child.options.proxy.repair()
    child.busy = false
  }
}
