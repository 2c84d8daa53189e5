/** Where a job begins: its first slot, and the anchor that a fixed rate counts from. */
import type { TimingCache } from '../schedule/timing-cache.ts'
import type { CompiledJob } from './compile-job.ts'
import { nextSlotOf } from './plan-job.ts'

export interface Beginning {
  /** Null when no slot is left. */
  readonly nextMs: number | null
  readonly anchorMs: number | null
}

/**
 * Returns the first slot at or after `nowMs`: a start in the past creates no missed slots.
 * `keptAnchorMs` is the anchor of a job that is edited: the same rate keeps its phase.
 */
export function firstSlot(
  job: CompiledJob,
  id: string,
  timings: TimingCache,
  nowMs: number,
  keptAnchorMs: number | null = null,
): Beginning {
  const startMs = Math.max(job.startMs ?? 0, nowMs)
  const beforeEnd = (nextMs: number | null, anchorMs: number | null): Beginning => ({
    nextMs: nextMs !== null && job.endMs !== null && nextMs >= job.endMs ? null : nextMs,
    anchorMs,
  })
  switch (job.rules.when.kind) {
    case 'once': {
      const onceMs = job.onceMs ?? nowMs + (job.delayMs ?? 0)
      // A time in the past means now.
      return beforeEnd(Math.max(onceMs, nowMs), onceMs)
    }
    case 'after-end':
      return beforeEnd(startMs, null)
    default: {
      const anchorMs = job.startMs ?? keptAnchorMs ?? nowMs
      const next = nextSlotOf({ id, anchorMs }, job.rules, timings)
      return beforeEnd(next(startMs - 1), anchorMs)
    }
  }
}
