/**
 * Events of one tenant for somebody who is not in this process: a look, and the next when that was taken. Each look says
 * where another feed would go on, so that whoever was cut off comes back and misses nothing. The mark is a time by the
 * database's clock before which everything was told: what ended after it, and was told before the cut, is told again.
 */
import { limits, PunctualError } from '@punctual/core/errors'
import { EndsCursor, type PostgresStore, systemClock } from '@punctual/store'
import { type FleetEvent, type FleetSource, fleetSources, inOrder } from './fleet-sources.ts'

const POLL_MS = 1_000
/** What this process thinks the time of the database is may be wrong by so much. */
const CLOCK_ERROR_MS = 100
/** A mark of another process may be ahead of this one's clock by so much. */
const AHEAD_MS = 60_000
const MARK = /^\d{1,15}$/

export interface FeedLook {
  readonly events: readonly FleetEvent[]
  readonly before: string
  readonly after: string
}

export interface FeedOptions {
  readonly mark: string
  readonly types: readonly string[]
  readonly signal: AbortSignal
}

const markOf = (ms: number): string => String(Math.floor(ms))

/** Where a feed begins: at a mark, now, or as far back as is told, with what is left out then. */
export function feedBegin(store: PostgresStore, mark: string | undefined) {
  const nowMs = store.database.clock.nowMs()
  if (mark === undefined) return { mark: markOf(nowMs - CLOCK_ERROR_MS), gap: null }
  const ms = MARK.test(mark) ? Number(mark) : Number.NaN
  if (!(ms <= nowMs + AHEAD_MS))
    throw new PunctualError(
      'invalid_cursor',
      'Last-Event-ID is not one of this stream. Give it back as it came, or begin without one.',
      { field: 'Last-Event-ID' },
    )
  const firstMs = nowMs - limits.activityResumeMs
  if (ms >= firstMs) return { mark, gap: null }
  const gap = { from: new Date(ms).toISOString(), to: new Date(firstMs).toISOString() }
  return { mark: markOf(firstMs), gap }
}

/** Looks until the signal is aborted. A look that fails is made again. */
export async function* feedOf(
  store: PostgresStore,
  tenantId: number,
  { mark, types, signal }: FeedOptions,
): AsyncGenerator<FeedLook> {
  const cursors = new Map<FleetSource, EndsCursor>()
  for (const source of fleetSources)
    if (source.of.some((type) => types.includes(type)))
      cursors.set(source, new EndsCursor(Number(mark)))
  const safe = () => markOf(Math.min(...[...cursors.values()].map(({ safeMs }) => safeMs)))
  const look = async ([source, cursor]: [FleetSource, EndsCursor]) =>
    source.look(store.ends, { cursor, tenantId, most: limits.activityPerRead }).catch(() => [])
  while (!signal.aborted) {
    const before = safe()
    const found = (await Promise.all([...cursors].map(look))).flat()
    const events = inOrder(found.filter(({ type }) => types.includes(type)))
    yield { events, before, after: safe() }
    // Where there was so much there is more.
    if (found.length < limits.activityPerRead) await systemClock.sleep(POLL_MS, signal)
  }
}
