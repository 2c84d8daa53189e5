/**
 * PUT /jobs/:id: creates or replaces the job of this name; repeating the request changes nothing.
 */
import { defineRoute } from '../../http/define-route.ts'
import { inWireNames } from '../../wire/in-wire-names.ts'
import { changeToWire, jobChange } from '../../wire/job-answer.ts'
import { jobByName, jobOptionsOf } from '../../wire/job-input.ts'
import { idParam } from '../../wire/schemas.ts'
import { findJob } from './find-job.ts'
import { alreadyExists, doesNotExist, holdExpected } from './hold-expected.ts'

export const putJob = defineRoute({
  method: 'PUT',
  path: '/jobs/:id',
  scope: 'operate',
  tag: 'Jobs',
  summary: 'Creates a job of this name, or replaces its definition',
  description:
    'With `If-Match`, only while the job has the version of the ETag, and with `*` only if it exists; with `If-None-Match: *`, only if it does not exist (412).',
  params: idParam,
  body: jobByName,
  answer: jobChange,
  others: { 201: 'The job was created.' },
  writes: 'always',
  problems: [
    'version_changed',
    'invalid_schedule',
    'invalid_timezone',
    'never_fires',
    'quota_exceeded',
  ],
  async handle(call) {
    const { tenant, params, body, reply } = call
    const { absent } = await holdExpected(call, doesNotExist)
    const { id, change } = await inWireNames([body], async () =>
      tenant.jobs.upsert(jobOptionsOf(params.id, body)),
    )
    // A concurrent request created it first: the transaction undoes the update.
    if (absent && change !== 'created') throw alreadyExists(params.id)
    if (change === 'created') reply.code(201)
    return changeToWire(await findJob(tenant, id), change)
  },
})
