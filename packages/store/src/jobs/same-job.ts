/** Compares a stored job with its declaration. */
import { isDeepStrictEqual } from 'node:util'
import type { CompiledJob } from '@punctual/core/job'
import type { StoredJob } from './rows.ts'

/** Whether the stored job is as declared. A job that was set aside is not: it must be planned. */
export function isSame(stored: StoredJob, job: CompiledJob, lane: number, timing: number): boolean {
  const once = job.rules.when.kind !== 'once' || stored.anchorMs === job.onceMs
  return (
    once &&
    stored.hasCursor &&
    stored.planningError === null &&
    stored.lane === lane &&
    stored.timing === timing &&
    stored.payloadText === job.payload &&
    stored.timeoutMs === job.run.timeoutMs &&
    stored.maxAttempts === job.run.maxAttempts &&
    stored.traits === job.traits &&
    stored.policy === job.run.policy &&
    isDeepStrictEqual(stored.concurrency, job.flow?.concurrency ?? null) &&
    isDeepStrictEqual(stored.rate, job.flow?.rate ?? null) &&
    isDeepStrictEqual(stored.labels, labelsIn(job.run.labels)) &&
    stored.description === job.description &&
    stored.owner === job.owner &&
    stored.source === job.source &&
    stored.maxRuns === job.maxRuns &&
    (stored.startAt?.getTime() ?? null) === job.startMs &&
    (stored.endAt?.getTime() ?? null) === job.endMs
  )
}

function labelsIn(text: string | null): unknown {
  return text === null ? {} : JSON.parse(text)
}
