/** What runs/find-obstacles returns as JSON: the facts of core, with their instants as JSON has them. */
import type { RunFacts } from '@punctual/core/run'

type Pause = RunFacts['pauses'][number]
type Limit = RunFacts['limits'][number]
type Worker = RunFacts['workers'][number]

export type PauseJson = Omit<Pause, 'since'> & { readonly since: string }
/** `freeAt` is in milliseconds. */
export type LimitJson = Omit<Limit, 'freeAt'> & { readonly freeAt: number | null }
export type WorkerJson = Omit<Worker, 'renewedAt'> & { readonly renewedAt: string }
export interface HeldByJson {
  readonly worker: string
  readonly lostSince: string | null
}

export const pauseFrom = (pause: PauseJson): Pause => ({ ...pause, since: new Date(pause.since) })

export const limitFrom = (limit: LimitJson): Limit => ({
  ...limit,
  freeAt: limit.freeAt === null ? null : new Date(limit.freeAt),
})

export const workerFrom = (worker: WorkerJson): Worker => ({
  ...worker,
  renewedAt: new Date(worker.renewedAt),
})

export const heldByFrom = ({ worker, lostSince }: HeldByJson): RunFacts['heldBy'] => ({
  worker,
  lostSince: lostSince === null ? null : new Date(lostSince),
})
