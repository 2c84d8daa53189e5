/**
 * Events of one tenant for a client outside this process, in batches: the next batch is read when
 * the previous one was consumed. Each batch names a mark from which another feed can resume, so a
 * client that was disconnected misses nothing. The mark is a time by the database's clock before
 * which all events were sent. Events after the mark that were sent before the disconnect are sent a
 * second time.
 */
import { limits, PunctualError } from '@punctual/core/errors'
import { EndsCursor, type PostgresStore, systemClock } from '@punctual/store'
import { type FleetEvent, type FleetSource, fleetSources, inOrder } from './fleet-sources.ts'

const POLL_MS = 1_000
/** This process may misjudge the time of the database by this much. */
const CLOCK_ERROR_MS = 100
/** A mark that another process made may be ahead of this process's clock by this much. */
const AHEAD_MS = 60_000
const MARK = /^\d{1,15}$/

export interface FeedBatch {
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

/**
 * Where a feed begins: at its mark, now, or at the oldest resumable instant, then with the gap it
 * leaves out.
 */
export function feedBegin(store: PostgresStore, mark: string | undefined) {
  const nowMs = store.database.clock.nowMs()
  if (mark === undefined) return { mark: markOf(nowMs - CLOCK_ERROR_MS), gap: null }
  const ms = MARK.test(mark) ? Number(mark) : Number.NaN
  if (!(ms <= nowMs + AHEAD_MS))
    throw new PunctualError(
      'invalid_cursor',
      'Last-Event-ID must be an id of this stream. Send it back unchanged, or start without it.',
      { field: 'Last-Event-ID' },
    )
  const firstMs = nowMs - limits.activityResumeMs
  if (ms >= firstMs) return { mark, gap: null }
  const gap = { from: new Date(ms).toISOString(), to: new Date(firstMs).toISOString() }
  return { mark: markOf(firstMs), gap }
}

/** Reads until the signal is aborted. A failed read is repeated. */
export async function* feedOf(
  store: PostgresStore,
  tenantId: number,
  { mark, types, signal }: FeedOptions,
): AsyncGenerator<FeedBatch> {
  const cursors = new Map<FleetSource, EndsCursor>()
  for (const source of fleetSources)
    if (source.types.some((type) => types.includes(type)))
      cursors.set(source, new EndsCursor(Number(mark)))
  const safe = () => markOf(Math.min(...[...cursors.values()].map(({ safeMs }) => safeMs)))
  const read = async ([source, cursor]: [FleetSource, EndsCursor]) =>
    source.read(store.ends, { cursor, tenantId, most: limits.activityPerRead }).catch(() => [])
  while (!signal.aborted) {
    const before = safe()
    const found = (await Promise.all([...cursors].map(read))).flat()
    const events = inOrder(found.filter(({ type }) => types.includes(type)))
    yield { events, before, after: safe() }
    // A full batch means that more events are waiting.
    if (found.length < limits.activityPerRead) await systemClock.sleep(POLL_MS, signal)
  }
}
