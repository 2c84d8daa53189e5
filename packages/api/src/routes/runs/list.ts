/** GET /runs: the runs that match, in pages. GET /runs/counts: their number by an attribute. */
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { runItem, runItemToWire } from '../../wire/run-answer.ts'
import { queryFilterOf, runQuery } from '../../wire/run-filter.ts'
import { answer, exactly, nullable, pageQuery, text } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'

const looks = { method: 'GET', scope: 'read', tag: 'Runs' } as const
const group = answer({
  name: nullable(Type.String()),
  count: Type.Integer(),
  id: Type.Optional(Type.String()),
})

export const listRuns = defineRoute({
  ...looks,
  path: '/runs',
  summary: 'Lists runs, newest first',
  description:
    'A page may have fewer than `limit` runs while `next_cursor` is set, because the rows read per page are bounded; `complete` is then false.',
  query: exactly({ ...runQuery, ...pageQuery }),
  answer: answer({
    runs: Type.Array(runItem),
    next_cursor: nullable(Type.String()),
    complete: Type.Boolean(),
  }),
  problems: ['invalid_cursor', 'job_not_found'],
  async handle({ tenant, query }) {
    const { limit = 100, cursor, ...filter } = query
    const page = await tenant.runs.page(queryFilterOf(filter), {
      limit,
      ...(cursor !== undefined && { cursor }),
    })
    const { runs, nextCursor, complete } = page
    return { runs: runs.map(runItemToWire), next_cursor: nextCursor, complete }
  },
})

export const countRuns = defineRoute({
  ...looks,
  path: '/runs/counts',
  summary: 'Counts runs by an attribute',
  query: exactly({
    ...runQuery,
    by: Type.Optional(
      text(80, {
        description: '`state`, `job`, `queue`, `handler`, `label:<name>`, `fingerprint` or `day`.',
        default: 'state',
      }),
    ),
  }),
  answer: answer({
    count: Type.Integer(),
    exact: Type.Boolean({ description: 'False when more runs match than were counted.' }),
    groups: Type.Array(group),
  }),
  problems: ['job_not_found'],
  async handle({ tenant, query }) {
    const { by, ...filter } = query
    const counted = await tenant.runs.count(queryFilterOf(filter), by === undefined ? {} : { by })
    return toWire(counted)
  },
})
