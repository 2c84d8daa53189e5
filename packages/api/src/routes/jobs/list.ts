/** GET /jobs: the jobs that match, in pages. */
import { jobStatuses } from '@punctual/core/job'
import Type, { type Static } from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { jobAnswer, jobToWire } from '../../wire/job-answer.ts'
import {
  answer,
  exactly,
  instant,
  labelOf,
  nullable,
  oneOf,
  pageQuery,
  text,
} from '../../wire/schemas.ts'
import { rangeOf } from '../../wire/time-range.ts'

const query = exactly({
  ...pageQuery,
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, description: 'From 1; `cursor` reaches further.' }),
  ),
  status: Type.Optional(oneOf(jobStatuses)),
  name: Type.Optional(text(128, { description: 'The prefix of their names.' })),
  queue: Type.Optional(text(128)),
  handler: Type.Optional(text(128)),
  label: Type.Optional(text(400, { description: '`name:value`.' })),
  next_from: Type.Optional(instant),
  next_to: Type.Optional(instant),
})

function filterOf(given: Static<typeof query>) {
  const { status, name, queue, handler, label } = given
  const next = rangeOf(given, 'next')
  return {
    ...(status !== undefined && { statuses: [status] }),
    ...(name !== undefined && { namePrefix: name }),
    ...(queue !== undefined && { queue }),
    ...(handler !== undefined && { handler }),
    ...(label !== undefined && { labels: labelOf(label) }),
    ...(next !== undefined && { next }),
  }
}

export const listJobs = defineRoute({
  method: 'GET',
  path: '/jobs',
  scope: 'read',
  tag: 'Jobs',
  summary: 'Lists jobs',
  query,
  answer: answer({
    jobs: Type.Array(jobAnswer),
    total: Type.Integer({ description: 'Exact up to 10,000.' }),
    total_exact: Type.Boolean(),
    page: nullable(Type.Integer()),
    next_cursor: nullable(Type.String()),
  }),
  problems: ['invalid_cursor'],
  async handle({ tenant, query }) {
    const { limit, cursor, page } = query
    const found = await tenant.jobs.page(filterOf(query), {
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
      ...(page !== undefined && { page }),
    })
    return {
      jobs: found.jobs.map(jobToWire),
      total: found.total,
      total_exact: found.totalExact,
      page: cursor === undefined ? (page ?? 1) : null,
      next_cursor: found.nextCursor,
    }
  },
})
