/** GET /jobs/:id: the definition of a job, its status and its latest run. */
import { defineRoute } from '../../http/define-route.ts'
import { etagOf } from '../../wire/etag.ts'
import { jobAnswer, jobToWire } from '../../wire/job-answer.ts'
import { idParam } from '../../wire/schemas.ts'
import { findJob } from './find-job.ts'

export const getJob = defineRoute({
  method: 'GET',
  path: '/jobs/:id',
  scope: 'read',
  tag: 'Jobs',
  summary: 'Returns a job and its latest run',
  params: idParam,
  answer: jobAnswer,
  problems: ['job_not_found'],
  async handle({ tenant, params, reply }) {
    const job = await findJob(tenant, params.id)
    reply.header('etag', etagOf(job.version))
    return jobToWire(job)
  },
})
