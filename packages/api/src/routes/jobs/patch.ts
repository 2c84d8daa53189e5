/** PATCH /jobs/:id: changes the members in the body and keeps the others. */
import { defineRoute } from '../../http/define-route.ts'
import { etagOf, versionOf } from '../../wire/etag.ts'
import { inWireNames } from '../../wire/in-wire-names.ts'
import { changeToWire, jobChange } from '../../wire/job-answer.ts'
import { changesOf, jobChanges } from '../../wire/job-input.ts'
import { idParam } from '../../wire/schemas.ts'
import { findJob } from './find-job.ts'

export const patchJob = defineRoute({
  method: 'PATCH',
  path: '/jobs/:id',
  scope: 'operate',
  tag: 'Jobs',
  summary: 'Updates some members of a job',
  description: 'With `If-Match`, only while the job has the version of the ETag (412).',
  params: idParam,
  body: jobChanges,
  answer: jobChange,
  writes: 'always',
  problems: ['job_not_found', 'version_changed', 'invalid_schedule'],
  async handle({ tenant, params, body, request, reply }) {
    const change = await inWireNames([body], async () =>
      tenant.jobs.change(params.id, changesOf(body), versionOf(request)),
    )
    const job = await findJob(tenant, params.id)
    reply.header('etag', etagOf(job.version))
    return changeToWire(job, change)
  },
})
