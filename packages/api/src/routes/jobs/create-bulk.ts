/** POST /jobs/bulk: up to 10,000 jobs, one per line; all or none, or a result for each. */
import Type from 'typebox'
import { bulkAnswer, bulkQuery, inPieces, performBulk, someRefused } from '../../http/bulk.ts'
import { defineRoute } from '../../http/define-route.ts'
import { readerOf } from '../../http/validator.ts'
import { atPlace, inWireNames } from '../../wire/in-wire-names.ts'
import { jobOptionsOf, type NewJob, newJob } from '../../wire/job-input.ts'

const read = readerOf(newJob, 'line')

export const createJobs = defineRoute({
  method: 'POST',
  path: '/jobs/bulk',
  scope: 'operate',
  tag: 'Jobs',
  summary: 'Creates or updates up to 10,000 jobs, one per line',
  description:
    'NDJSON: each line is a body of POST /jobs. An existing job of that name is updated.',
  query: bulkQuery,
  body: Type.String(),
  reads: 'ndjson',
  answer: bulkAnswer,
  others: someRefused,
  writes: 'always',
  inPieces,
  problems: ['invalid_request', 'invalid_schedule', 'quota_exceeded'],
  handle({ tenant, body, reply, pieces }) {
    return performBulk<NewJob>({
      ...{ reply, body, read, pieces },
      write: (jobs) =>
        inWireNames(jobs, async () =>
          tenant.jobs.upsertMany(
            jobs.map((job, i) => atPlace(i, () => jobOptionsOf(job.name, job))),
          ),
        ),
    })
  },
})
