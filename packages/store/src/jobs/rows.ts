/** Converts rows of jobs to the public type. */
import { decodeRules, type Job, type JobRules } from '@punctual/core/job'
import { decodeRunPolicy, deliveryFrom, retryIn, targetFrom } from '@punctual/core/run'
import { decodeFlow } from '../submit/flow-keys.ts'
import type { FindJobsRow } from './statements.gen.ts'

/** A job with the fields that only the store needs. */
export interface StoredJob extends Job {
  readonly timing: number
  readonly lane: number
  readonly traits: number
  readonly policy: string | null
  readonly payloadText: string
  readonly rulesText: string
  readonly rules: JobRules
  readonly anchorMs: number | null
  /** False when it has lost its cursor: nothing plans it, and it must be created again. */
  readonly hasCursor: boolean
}

export function toJob(row: FindJobsRow): StoredJob {
  const { payload, spec, anchorAt, cursorAt, flow, labels, failures, ...stored } = row
  const rules = decodeRules(spec)
  const anchorMs = anchorAt?.getTime() ?? null
  const runPolicy = decodeRunPolicy(row.policy)
  return {
    ...stored,
    payload: JSON.parse(payload),
    payloadText: payload,
    rules,
    rulesText: spec,
    delivery: deliveryFrom(row.traits, row.policy),
    target: targetFrom(row.handler, row.policy),
    heartbeatMs: runPolicy.heartbeatMs ?? null,
    ...decodeFlow(flow),
    retry: retryIn(runPolicy),
    labels: labels ?? {},
    cursorAt: cursorAt ?? new Date(0),
    hasCursor: cursorAt !== null,
    anchorMs,
    lateAtCreation:
      rules.when.kind === 'once' && anchorMs !== null && anchorMs < row.createdAt.getTime(),
    failures: failures ?? 0,
  }
}
