/** Calendars: named sets of dates and time windows that jobs refer to. */
import { PunctualError } from '@punctual/core/errors'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { answer, exactly, name, nullable, text } from '../../wire/schemas.ts'

const entries = Type.Optional(Type.Array(text(64), { maxItems: 1_000 }))
const fields = {
  timezone: Type.Optional(text(64)),
  exclude: entries,
  include: entries,
  windows: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 1_000 })),
}
const calendar = answer({ name: Type.String(), calendar: Type.Unknown() })
const params = exactly({ name })
const tag = 'Calendars'

export const listCalendars = defineRoute({
  ...{ method: 'GET', path: '/calendars', scope: 'read', tag, summary: 'Lists calendars by name' },
  query: exactly({
    after: Type.Optional(text(128, { description: 'The `next` of the page before.' })),
  }),
  answer: answer({
    calendars: Type.Array(calendar),
    next: nullable(Type.String({ description: 'Where the next page starts; null at the end.' })),
  }),
  async handle({ tenant, query }) {
    const { calendars, next } = await tenant.jobs.calendars.page(query.after)
    return { calendars: [...calendars], next }
  },
})

export const getCalendar = defineRoute({
  ...{ method: 'GET', path: '/calendars/:name', scope: 'read', tag, summary: 'Returns a calendar' },
  params,
  answer: calendar,
  problems: ['calendar_not_found'],
  async handle({ tenant, params: { name: wanted } }) {
    const found = await tenant.jobs.calendars.get(wanted)
    if (found) return { name: wanted, calendar: found }
    const message = `No calendar is named ${JSON.stringify(wanted)}. GET /v1/calendars lists them.`
    throw new PunctualError('calendar_not_found', message, { id: wanted })
  },
})

export const setCalendar = defineRoute({
  ...{ method: 'PUT', path: '/calendars/:name', scope: 'operate', tag, writes: 'always' },
  summary: 'Creates or replaces a calendar; it applies to every undecided slot',
  params,
  body: exactly(fields),
  answer: calendar,
  problems: ['invalid_calendar', 'invalid_timezone', 'quota_exceeded'],
  async handle({ tenant, params: { name: wanted }, body }) {
    await tenant.jobs.calendars.set(wanted, body)
    return { name: wanted, calendar: body }
  },
})

export const deleteCalendar = defineRoute({
  ...{ method: 'DELETE', path: '/calendars/:name', scope: 'operate', tag, writes: 'always' },
  summary: 'Deletes a calendar that no job refers to',
  params,
  answer: answer({ removed: Type.Boolean() }),
  problems: ['calendar_in_use'],
  async handle({ tenant, params: { name: wanted } }) {
    return { removed: await tenant.jobs.calendars.delete(wanted) }
  },
})
