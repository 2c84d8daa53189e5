/** Where a job begins: what its first slot is, and what a fixed rate counts from. */
import type { TimingCache } from '../schedule/timing-cache.ts'
import type { CompiledJob } from './job-options.ts'
import { nextSlotOf } from './plan-job.ts'

export interface Beginning {
  /** Null when no slot is left. */
  readonly nextMs: number | null
  readonly anchorMs: number | null
}

/**
 * At or after `nowMs`: a start in the past makes no missed slots. `keptAnchorMs` is what a job that is edited
 * counted from: the same rate keeps its phase.
 */
export function firstSlot(
  job: CompiledJob,
  id: string,
  timings: TimingCache,
  nowMs: number,
  keptAnchorMs: number | null = null,
): Beginning {
  const startMs = Math.max(job.startMs ?? 0, nowMs)
  const within = (nextMs: number | null, anchorMs: number | null): Beginning => ({
    nextMs: nextMs !== null && job.endMs !== null && nextMs >= job.endMs ? null : nextMs,
    anchorMs,
  })
  switch (job.rules.when.kind) {
    case 'once': {
      const onceMs = job.onceMs ?? nowMs + (job.delayMs ?? 0)
      // In the past means now.
      return within(Math.max(onceMs, nowMs), onceMs)
    }
    case 'after-end':
      return within(startMs, null)
    default: {
      const anchorMs = job.startMs ?? keptAnchorMs ?? nowMs
      const next = nextSlotOf({ id, anchorMs }, job.rules, timings)
      return within(next(startMs - 1), anchorMs)
    }
  }
}
