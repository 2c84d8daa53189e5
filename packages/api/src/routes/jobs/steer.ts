/** What is done to a job that exists: pause, resume, trigger, skip a slot, run slots of the past. */
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { changeToWire, jobChange } from '../../wire/job-answer.ts'
import { answer, anyJson, exactly, idParam, moment, text } from '../../wire/schemas.ts'
import { findJob } from './find-job.ts'
import { holdExpected } from './hold-expected.ts'

const steers = {
  tag: 'Jobs',
  params: idParam,
  writes: 'always',
  description: 'With `If-Match`, only if it is still the version that the ETag names (412).',
} as const

export const pauseJob = defineRoute({
  ...steers,
  method: 'POST',
  path: '/jobs/:id/pause',
  scope: 'operate',
  summary: 'Make no more runs of it',
  description:
    'Runs of slots ahead are taken back. Runs that were decided for slots of the past (backfills, missed slots, those that jitter moved) and by hand go on: cancel those by `POST /runs/cancel`. With `If-Match`, only if it is still the version that the ETag names (412).',
  body: exactly({ note: Type.Optional(text(1_024, { description: 'Why.' })) }),
  answer: jobChange,
  problems: ['job_not_found', 'version_changed'],
  async handle(call) {
    const { tenant, params, body } = call
    await holdExpected(call)
    const changed = await tenant.jobs.pause(params.id, body.note)
    return changeToWire(await findJob(tenant, params.id), changed ? 'updated' : 'unchanged')
  },
})

export const resumeJob = defineRoute({
  ...steers,
  method: 'POST',
  path: '/jobs/:id/resume',
  scope: 'operate',
  summary: 'Go on; slots that passed meanwhile are skipped',
  answer: jobChange,
  problems: ['job_not_found', 'version_changed'],
  async handle(call) {
    const { tenant, params } = call
    await holdExpected(call)
    const changed = await tenant.jobs.resume(params.id)
    return changeToWire(await findJob(tenant, params.id), changed ? 'updated' : 'unchanged')
  },
})

export const triggerJob = defineRoute({
  ...steers,
  method: 'POST',
  path: '/jobs/:id/trigger',
  scope: 'submit',
  summary: 'Run it now, apart from its slots',
  body: exactly({ payload: Type.Optional(anyJson('In place of that of the job.')) }),
  answer: answer({ run_id: Type.String() }),
  status: 201,
  problems: ['job_not_found', 'version_changed'],
  async handle(call) {
    const { tenant, params, body } = call
    await holdExpected(call)
    const { id } = await tenant.jobs.trigger(params.id, body)
    return { run_id: id }
  },
})

export const skipSlot = defineRoute({
  ...steers,
  method: 'POST',
  path: '/jobs/:id/skip',
  scope: 'operate',
  summary: 'One slot ahead is not to run',
  body: exactly({ slot: moment }),
  answer: answer({ skipped: Type.String() }),
  problems: ['job_not_found', 'version_changed', 'slot_not_found'],
  async handle(call) {
    const { tenant, params, body, actor } = call
    await holdExpected(call)
    await tenant.jobs.skip(params.id, body.slot, actor.name)
    return { skipped: new Date(body.slot).toISOString() }
  },
})

export const backfillJob = defineRoute({
  ...steers,
  method: 'POST',
  path: '/jobs/:id/backfill',
  scope: 'operate',
  summary: 'Run slots of the past that have not run; asking again runs none twice',
  body: exactly({
    from: moment,
    to: moment,
    pace_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
  }),
  answer: answer({ runs: Type.Integer(), already: Type.Integer() }),
  problems: ['job_not_found', 'version_changed'],
  async handle(call) {
    const { tenant, params, body } = call
    await holdExpected(call)
    const { from, to, pace_ms: paceMs } = body
    return tenant.jobs.backfill(params.id, { from, to, ...(paceMs !== undefined && { paceMs }) })
  },
})
