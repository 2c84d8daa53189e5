/** POST /jobs/bulk: up to 10,000 jobs, one a line; all or none, or what became of each. */
import Type from 'typebox'
import { bulkAnswer, bulkQuery, performBulk, someRefused } from '../../http/bulk.ts'
import { defineRoute } from '../../http/define-route.ts'
import { atPlace, inWireNames } from '../../wire/in-wire-names.ts'
import { jobOptionsOf, type NewJob, newJob } from '../../wire/job-input.ts'

export const createJobs = defineRoute({
  method: 'POST',
  path: '/jobs/bulk',
  scope: 'operate',
  tag: 'Jobs',
  summary: 'Make or change up to 10,000 jobs, one a line',
  description: 'NDJSON: each line is what POST /jobs takes. A job of that name is changed.',
  query: bulkQuery,
  body: Type.String(),
  reads: 'ndjson',
  answer: bulkAnswer,
  others: someRefused,
  writes: 'always',
  problems: ['invalid_request', 'invalid_schedule', 'quota_exceeded'],
  handle({ service, tenant, query, body, reply }) {
    return performBulk<NewJob>({
      ...{ service, reply, schema: newJob, body, each: query.mode === 'each' },
      orderOf: ({ name }) => name,
      write: (jobs) =>
        inWireNames(jobs, async () =>
          tenant.jobs.upsertMany(
            jobs.map((job, i) => atPlace(i, () => jobOptionsOf(job.name, job))),
          ),
        ),
    })
  },
})
