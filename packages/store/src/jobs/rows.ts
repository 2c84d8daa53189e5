/** Converts rows of jobs and slots to the public types. */
import {
  decodeRules,
  type Job,
  type JobRules,
  type Slot,
  type SlotReason,
  slotReasons,
} from '@punctual/core/job'
import { decodeRunPolicy, deliveryFrom, retryIn } from '@punctual/core/run'
import type { Row } from '../connection/channel.ts'
import { date } from '../runs/rows.ts'
import { decodeFlow } from '../submit/flow-keys.ts'

/** A job with the fields that only the store needs. */
export interface StoredJob extends Job {
  readonly timing: number
  readonly lane: number
  readonly traits: number
  readonly policy: string | null
  readonly payloadText: string
  readonly labelsText: string | null
  readonly rulesText: string
  readonly rules: JobRules
  readonly anchorMs: number | null
  /** False when it has lost its cursor: nothing plans it, and it must be created again. */
  readonly hasCursor: boolean
}

type Text = string | null | undefined
const count = (text: Text) => (text === null || text === undefined ? null : Number(text))

export function toJob(row: Row): StoredJob {
  const [id, tenantId, name, handler, queue, priority, payload, spec, timing, lane] = row
  const [startAt, endAt, maxRuns, runsLeft, maxAttempts, timeoutMs, traits, policy] = row.slice(10)
  const [labels, description, owner, source, createdBy, version, createdAt, updatedAt] =
    row.slice(18)
  const [pausedAt, pausedNote, planningError, cursorAt, nextAt, anchorAt, failures, flow] =
    row.slice(26)
  const rules = decodeRules(spec as string)
  const anchorMs = date(anchorAt)?.getTime() ?? null
  const madeAt = new Date(createdAt as string)
  const runPolicy = decodeRunPolicy(policy ?? null)
  return {
    id: id as string,
    tenantId: Number(tenantId),
    name: name as string,
    handler: handler as string,
    queue: queue as string,
    priority: Number(priority),
    payload: JSON.parse(payload as string),
    payloadText: payload as string,
    rules,
    rulesText: spec as string,
    timing: Number(timing),
    lane: Number(lane),
    startAt: date(startAt),
    endAt: date(endAt),
    maxRuns: count(maxRuns),
    runsLeft: count(runsLeft),
    maxAttempts: Number(maxAttempts),
    timeoutMs: Number(timeoutMs),
    traits: Number(traits),
    policy: policy ?? null,
    delivery: deliveryFrom(Number(traits), policy ?? null),
    heartbeatMs: runPolicy.heartbeatMs ?? null,
    ...decodeFlow(flow ? JSON.parse(flow) : null),
    retry: retryIn(runPolicy),
    labels: labels ? JSON.parse(labels) : {},
    labelsText: labels ?? null,
    description: description ?? null,
    owner: owner ?? null,
    source: source ?? null,
    createdBy: createdBy ?? null,
    version: Number(version),
    createdAt: madeAt,
    updatedAt: new Date(updatedAt as string),
    pausedAt: date(pausedAt),
    pausedNote: pausedNote ?? null,
    planningError: planningError ?? null,
    cursorAt: new Date(cursorAt ?? 0),
    hasCursor: cursorAt !== null,
    nextAt: date(nextAt),
    anchorMs,
    lateAtCreation: rules.when.kind === 'once' && anchorMs !== null && anchorMs < madeAt.getTime(),
    failures: Number(failures),
  }
}

export const reasonOf: ReadonlyMap<number, SlotReason> = new Map(
  Object.entries(slotReasons).map(([name, code]) => [code, name as SlotReason]),
)

export function toSlot([slotAt, fromAt, slots, decision, reason, runId, decidedAt]: Row): Slot {
  return {
    slotAt: new Date(slotAt as string),
    fromAt: date(fromAt),
    slots: Number(slots),
    decision: decision === '1' ? 'run' : 'skip',
    reason: reasonOf.get(Number(reason)) ?? 'on-time',
    runId: runId ?? null,
    decidedAt: new Date(decidedAt as string),
  }
}
