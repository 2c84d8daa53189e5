/** The runs of the tenant as they end. */
import { addressOf, type Connection } from '../http/connection.ts'
import { follow } from '../http/follow.ts'

export interface ActivityEvent {
  /** `run.dead`, `run.cancelled`, …; `gap` when events were missed because they are too old. */
  readonly type: string
  /** Pass it as `lastEventId` to resume after this event, even in another process. */
  readonly id: string
  readonly data: unknown
}

export interface ActivityOptions {
  /** Only events of these types. @default all */
  readonly types?: readonly string[] | undefined
  /** Resumes after this event. @default new events only */
  readonly lastEventId?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Delivery is at least once: events may repeat after a reconnection. Ends by `break` or by the
 * signal.
 */
export async function* activity(
  connection: Connection,
  { types, lastEventId, signal }: ActivityOptions = {},
): AsyncGenerator<ActivityEvent, void, undefined> {
  const path = addressOf('/activity', {}, { types })
  for await (const event of follow(connection, path, { signal, lastEventId }))
    yield { type: event.type, id: event.lastEventId, data: JSON.parse(event.data) }
}
