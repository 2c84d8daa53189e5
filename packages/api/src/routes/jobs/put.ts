/** PUT /jobs/:id: makes the job of this name what is sent; the same again changes nothing. */
import { defineRoute } from '../../define-route.ts'
import { changeToWire, jobChange } from '../../wire/job-answer.ts'
import { jobByName, jobOptionsOf } from '../../wire/job-input.ts'
import { idParam } from '../../wire/schemas.ts'
import { findJob } from './find-job.ts'

export const putJob = defineRoute({
  method: 'PUT',
  path: '/jobs/:id',
  scope: 'operate',
  tag: 'Jobs',
  summary: 'Make a job of this name, or change it to this',
  params: idParam,
  body: jobByName,
  answer: jobChange,
  others: { 201: 'There was no job of this name.' },
  writes: 'always',
  problems: ['invalid_schedule', 'invalid_timezone', 'never_fires', 'quota_exceeded'],
  async handle({ tenant, params, body, reply }) {
    const { id, change } = await tenant.jobs.upsert(jobOptionsOf(params.id, body))
    if (change === 'created') reply.code(201)
    return changeToWire(await findJob(tenant, id), change)
  },
})
