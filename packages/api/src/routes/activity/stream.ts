/** GET /activity: streams the runs of the caller's tenant as they end, as server-sent events. */
import { PunctualError } from '@punctual/core/errors'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import type { ActivityBatch, ActivityPort } from '../../ports/activity-service.ts'
import type { EventWriter } from '../../streams/sse-writer.ts'
import { lastEventId, stream } from '../../streams/stream.ts'
import { exactly, text } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'

/** The event types to send: the requested ones, as far as this caller may receive them. */
function typesOf(
  { ofTenants, ofInstallation }: ActivityPort,
  requested: readonly string[] | undefined,
  isSystem: boolean,
): readonly string[] {
  const all = isSystem ? [...ofTenants, ...ofInstallation] : ofTenants
  if (requested === undefined) return all
  for (const type of requested) {
    if (all.includes(type)) continue
    if (ofInstallation.includes(type))
      throw new PunctualError(
        'forbidden',
        `${type} is an event of the installation, which only keys with the scope system receive.`,
        { field: 'types' },
      )
    throw new PunctualError('invalid_option', `types must be of ${all.join(', ')}.`, {
      field: 'types',
    })
  }
  return requested
}

/** Sends the events of one poll; false when the client has disconnected. */
async function sendAll(
  { events, before, after }: ActivityBatch,
  out: EventWriter,
): Promise<boolean> {
  for (const [i, event] of events.entries()) {
    const id = i === events.length - 1 ? after : before
    if (!(await out.send({ id, event: event.type, data: toWire(event) }))) return false
  }
  out.reached(after)
  return true
}

export const streamActivity = defineRoute({
  method: 'GET',
  path: '/activity',
  scope: 'read',
  tag: 'Activity',
  summary: 'Streams runs of the tenant as they end',
  description:
    'Server-sent events: `run.dead`, `run.cancelled`, `run.skipped`, `run.unknown`; for keys of the installation also `worker.lost`. `Last-Event-ID` resumes an ended stream, up to a day back. Delivery is at least once: events of the last seconds before the end may be sent again. A comment every 15 s shows that the stream is alive.',
  query: exactly({
    types: Type.Optional(
      Type.Array(text(64), { maxItems: 20, description: 'Only events of these types.' }),
    ),
  }),
  problems: ['too_many_streams', 'invalid_cursor'],
  async handle(call) {
    const { service, tenant, caller, query, request } = call
    const types = typesOf(service.activity, query.types, caller.tenantId === null)
    const mark = lastEventId(request)
    const begins = service.activity.begin(mark)
    await stream(call, async (out, signal) => {
      await out.send({ id: begins.mark, ...(begins.gap && { event: 'gap', data: begins.gap }) })
      const start = { mark: begins.mark, types, signal }
      for await (const feed of service.activity.feed(tenant.tenantId, start))
        if (!(await sendAll(feed, out))) return
    })
  },
})
