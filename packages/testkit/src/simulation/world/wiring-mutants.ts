/** Wrong ways to put the real parts together: what the simulation must notice (see mutants.ts). */
import type { Fence, WorkStore } from '@punctual/core'
import type { Role } from '@punctual/engine'

export interface WiringMutants {
  /** Between the worker and its store. */
  worker(store: WorkStore): WorkStore
  /** Instead of the reaper; null when it is the real one. */
  reaper: ((make: () => Role) => Role) | null
}

export const noWiringMutants: WiringMutants = { worker: (store) => store, reaper: null }

/** A reaper without memory: whatever looks expired is taken at the first look. */
export const forgetfulReaper: WiringMutants = {
  ...noWiringMutants,
  reaper: (make) => ({
    name: 'reaper',
    tick: async () => {
      await make().tick()
      return 250
    },
  }),
}

/** Starts of at-most-once runs are taken for marked. */
export const unmarkedStarts: WiringMutants = {
  ...noWiringMutants,
  worker: (store) =>
    replacing(store, {
      markStarted: async (runs: readonly Fence[]) => new Set(runs.map(({ id }) => id)),
    }),
}

/** A worker that knows nothing of what it holds. */
export const straysUnknown: WiringMutants = {
  ...noWiringMutants,
  worker: (store) =>
    replacing(store, { strayLeases: (sessionId: string) => store.strayLeases(sessionId, []) }),
}

/** The same store, but for some of its methods. */
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
