/** GET /activity: what ends in the tenant of the caller, as it happens, as server-sent events. */
import { PunctualError } from '@punctual/core/errors'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import type { ActivityBatch, ActivityPort } from '../../ports/activity-service.ts'
import type { EventWriter } from '../../streams/sse-writer.ts'
import { lastEventId, stream } from '../../streams/stream.ts'
import { exactly, text } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'

/** What is told: what was asked for, of what this caller may hear of. */
function typesOf(
  { ofTenants, ofInstallation }: ActivityPort,
  asked: readonly string[] | undefined,
  isSystem: boolean,
): readonly string[] {
  const all = isSystem ? [...ofTenants, ...ofInstallation] : ofTenants
  if (asked === undefined) return all
  for (const type of asked) {
    if (all.includes(type)) continue
    if (ofInstallation.includes(type))
      throw new PunctualError(
        'forbidden',
        `${type} is told of the installation, to keys of the scope system only.`,
        { field: 'types' },
      )
    throw new PunctualError('invalid_option', `types must be of ${all.join(', ')}.`, {
      field: 'types',
    })
  }
  return asked
}

/** False when there is nobody any more. */
async function tell({ events, before, after }: ActivityBatch, out: EventWriter): Promise<boolean> {
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
  summary: 'What ends, as it happens',
  description:
    'Server-sent events of the tenant: `run.dead`, `run.cancelled`, `run.skipped`, `run.unknown`; for keys of the installation also `worker.lost`. `Last-Event-ID` goes on where a stream ended, up to a day back: at least once, so that what ended in the seconds before may come again. A comment shows every 15 s that the stream lives.',
  query: exactly({
    types: Type.Optional(
      Type.Array(text(64), { maxItems: 20, description: 'Only events of these names.' }),
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
        if (!(await tell(feed, out))) return
    })
  },
})
