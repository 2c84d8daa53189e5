/** Slots of a job with their decisions, all at once or page by page. */
import { type Instant, instantOf, refuseOption } from '@punctual/core/check'
import type { JobSlot } from '@punctual/core/job'
import {
  decodeCursor,
  type ExpectedSlot,
  encodeCursor,
  type PostgresStore,
  type StoredJob,
} from '@punctual/store'

const SLOTS_MAX = 10_000
const DAY_MS = 86_400_000

/** The slots to list. */
export interface SlotsOptions {
  /** Start of the range, inclusive. @default one day before `to` */
  from?: Instant
  /** End of the range, inclusive. @default now */
  to?: Instant
  /** The most slots to return, up to 10,000. @default 100 */
  limit?: number
}

/** A page of the slots of a job. */
export interface SlotPage {
  /** Possibly none, although there is a next page. */
  readonly slots: readonly JobSlot[]
  /** Where the next page starts; null after the last page. */
  readonly nextCursor: string | null
}

interface Range {
  readonly fromMs: number
  readonly toMs: number
  readonly limit: number
}

export function slotRangeOf(options: SlotsOptions, nowMs: number): Range {
  const toMs = options.to === undefined ? nowMs : instantOf('to', options.to)
  const fromMs = options.from === undefined ? toMs - DAY_MS : instantOf('from', options.from)
  const { limit = 100 } = options
  if (!Number.isInteger(limit) || limit < 1 || limit > SLOTS_MAX)
    refuseOption('limit', `an integer from 1 to ${SLOTS_MAX}`, limit)
  return { fromMs, toMs, limit }
}

export async function pageOfSlots(
  { schedules }: PostgresStore,
  job: StoredJob,
  { fromMs, toMs, limit }: Range,
  cursor: string | undefined,
): Promise<SlotPage> {
  const scope = { list: 'slots', tenantId: job.tenantId, question: job.id }
  const [at = fromMs, aheadMs = 0] =
    cursor === undefined ? [] : decodeCursor(scope, cursor).split(' ').map(Number)
  const { slots, next } = await schedules.slots.page(job, { fromMs: at, aheadMs }, toMs, limit)
  return {
    slots: slots.map(toJobSlot),
    nextCursor: next && encodeCursor(scope, `${next.fromMs} ${next.aheadMs}`),
  }
}

export function toJobSlot({ slotMs, slot }: ExpectedSlot): JobSlot {
  return {
    slotAt: new Date(slotMs),
    fromAt: slot?.fromAt ?? null,
    slots: slot?.slots ?? 1,
    decision: slot?.decision ?? null,
    reason: slot?.reason ?? null,
    runId: slot?.runId ?? null,
    decidedAt: slot?.decidedAt ?? null,
  }
}
