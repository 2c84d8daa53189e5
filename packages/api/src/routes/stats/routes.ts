/** Statistics of finished runs: of the last minutes, and by day or job as a report. */
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { answer, exactly, instant, nullable, oneOf } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'

const ends = {
  runs: Type.Integer(),
  ended: Type.Record(Type.String(), Type.Integer()),
  success_rate: nullable(
    Type.Number({ description: 'Of runs that succeeded, died or were lost; from 0 to 1.' }),
  ),
}
const recent = answer({
  recent: Type.Array(answer({ queue: Type.String(), handler: Type.String(), ...ends })),
})
const report = answer({
  rows: Type.Array(
    answer({
      name: nullable(Type.String({ description: 'The day, or the name of the job.' })),
      job_id: Type.Optional(nullable(Type.String())),
      ...ends,
    }),
  ),
  counted_to: nullable(Type.String({ description: 'Runs that ended later are not counted yet.' })),
})
const tag = 'Stats'

export const getStats = defineRoute({
  ...{ method: 'GET', path: '/stats', scope: 'read', tag },
  summary: 'Counts how runs ended in the last minutes, by queue and handler',
  query: exactly({
    minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_440, default: 5 })),
  }),
  answer: recent,
  async handle({ tenant, query }) {
    return toWire({ recent: await tenant.stats.recent(query) })
  },
})

export const getReport = defineRoute({
  ...{ method: 'GET', path: '/stats/report', scope: 'read', tag },
  summary: 'Reports how runs ended by day or by job, over up to 366 days',
  query: exactly({
    by: Type.Optional(oneOf(['day', 'job'] as const, { default: 'day' })),
    from: Type.Optional(instant),
    to: Type.Optional(instant),
  }),
  answer: report,
  async handle({ tenant, query }) {
    return toWire(await tenant.stats.report(query))
  },
})
