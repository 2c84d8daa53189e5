/** Wrong ways to wire the real parts, which the simulation must notice (see mutants.ts). */
import { defaults } from '@punctual/core/errors'
import type { Fence, UpkeepStore, WorkStore } from '@punctual/core/ports'
import type { Role } from '@punctual/engine'

type ReaperStore = Pick<UpkeepStore, 'expiredSessions' | 'reap' | 'resolveParked'>

export interface WiringMutants {
  /** Wraps the store of the worker. */
  worker(store: WorkStore): WorkStore
  /** Replaces the reaper; null for the real one. */
  reaper: ((store: ReaperStore) => Role) | null
}

export const noWiringMutants: WiringMutants = { worker: (store) => store, reaper: null }

/** Fences every session that looks expired at the first pass. */
export const hastyReaper: WiringMutants = {
  ...noWiringMutants,
  reaper: (store) => ({
    name: 'reaper',
    tick: async () => {
      const { sessionIds } = await store.expiredSessions()
      if (sessionIds.length > 0) await store.reap(sessionIds, defaults.crashesUntilQuarantine)
      await store.resolveParked(5_000)
      return 250
    },
  }),
}

/** Treats the starts of at-most-once runs as marked. */
export const unmarkedStarts: WiringMutants = {
  ...noWiringMutants,
  worker: (store) =>
    replacing(store, {
      markStarted: async (runs: readonly Fence[]) => new Set(runs.map(({ id }) => id)),
    }),
}

/** A worker that does not know what it holds. */
export const straysUnknown: WiringMutants = {
  ...noWiringMutants,
  worker: (store) =>
    replacing(store, { strayLeases: (sessionId: string) => store.strayLeases(sessionId, []) }),
}

/** The same store with some methods replaced. */
function replacing(store: WorkStore, others: Partial<WorkStore>): WorkStore {
  return new Proxy(store, {
    get(target, name) {
      const other = others[name as keyof WorkStore]
      if (other) return other
      const value = target[name as keyof WorkStore]
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
