/** What ends in the tenant, as it happens. */
import { addressOf, type Connection } from '../http/connection.ts'
import { follow } from '../http/follow.ts'

export interface ActivityEvent {
  /** `run.dead`, `run.cancelled`, … ; `gap` when some were missed, because they are too long ago. */
  readonly type: string
  /** Give it as `lastEventId` to go on after this event, also in another process. */
  readonly id: string
  readonly data: unknown
}

export interface ActivityOptions {
  /** Only these. @default all */
  readonly types?: readonly string[] | undefined
  /** Goes on after this event. @default from now on */
  readonly lastEventId?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** At least once: after the connection was lost, the last ones may come again. It ends by `break` or by the signal. */
export async function* activity(
  connection: Connection,
  { types, lastEventId, signal }: ActivityOptions = {},
): AsyncGenerator<ActivityEvent, void, undefined> {
  const path = addressOf('/activity', {}, { types })
  for await (const event of follow(connection, path, { signal, lastEventId }))
    yield { type: event.type, id: event.lastEventId, data: JSON.parse(event.data) }
}
