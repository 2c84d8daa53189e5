/** POST /jobs: makes a job, or refuses a name that is taken. */
import { PunctualError } from '@punctual/core'
import { defineRoute } from '../../define-route.ts'
import { changeToWire, jobChange } from '../../wire/job-answer.ts'
import { jobOptionsOf, newJob } from '../../wire/job-input.ts'
import { findJob } from './find-job.ts'

export const createJob = defineRoute({
  method: 'POST',
  path: '/jobs',
  scope: 'operate',
  tag: 'Jobs',
  summary: 'Make a job',
  description:
    'Of `schedule`, `every_after_end`, `run_at` and `delay` one says when; with none of them it runs now. No worker need know its handler yet.',
  body: newJob,
  answer: jobChange,
  status: 201,
  writes: 'always',
  problems: ['job_exists', 'invalid_schedule', 'invalid_timezone', 'never_fires', 'quota_exceeded'],
  async handle({ tenant, body }) {
    const taken = await tenant.jobs.get(body.name)
    if (taken) throw nameTaken(body.name, taken.id)
    const { id, change } = await tenant.jobs.upsert(jobOptionsOf(body.name, body))
    // Somebody was quicker: what was changed is undone with the transaction.
    if (change !== 'created') throw nameTaken(body.name, id)
    return changeToWire(await findJob(tenant, id), 'created')
  },
})

function nameTaken(name: string, id: string): PunctualError {
  return new PunctualError(
    'job_exists',
    `There is a job ${JSON.stringify(name)} already. Choose another name, or change it with PUT /v1/jobs/${encodeURIComponent(name)}.`,
    { field: 'name', id },
  )
}
