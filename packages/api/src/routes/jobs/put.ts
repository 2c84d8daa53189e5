/** PUT /jobs/:id: makes the job of this name what is sent; the same again changes nothing. */
import { defineRoute } from '../../http/define-route.ts'
import { inWireNames } from '../../wire/in-wire-names.ts'
import { changeToWire, jobChange } from '../../wire/job-answer.ts'
import { jobByName, jobOptionsOf } from '../../wire/job-input.ts'
import { idParam } from '../../wire/schemas.ts'
import { findJob } from './find-job.ts'
import { holdExpected, isGone, isThere } from './hold-expected.ts'

export const putJob = defineRoute({
  method: 'PUT',
  path: '/jobs/:id',
  scope: 'operate',
  tag: 'Jobs',
  summary: 'Make a job of this name, or change it to this',
  description:
    'With `If-Match`, only if it is still the version that the ETag names, and `*`: only if there is one; with `If-None-Match: *`, only if there is none (412).',
  params: idParam,
  body: jobByName,
  answer: jobChange,
  others: { 201: 'There was no job of this name.' },
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
    const { absent } = await holdExpected(call, isGone)
    const { id, change } = await inWireNames([body], async () =>
      tenant.jobs.upsert(jobOptionsOf(params.id, body)),
    )
    // Somebody was quicker: what was changed is undone with the transaction.
    if (absent && change !== 'created') throw isThere(params.id)
    if (change === 'created') reply.code(201)
    return changeToWire(await findJob(tenant, id), change)
  },
})
