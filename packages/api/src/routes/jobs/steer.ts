/** Operations on an existing job: pause, resume, trigger, skip a slot, backfill. */
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { changeToWire, jobChange } from '../../wire/job-answer.ts'
import { answer, anyJson, exactly, idParam, instant, text } from '../../wire/schemas.ts'
import { findJob } from './find-job.ts'
import { holdExpected } from './hold-expected.ts'

const steers = {
  tag: 'Jobs',
  params: idParam,
  writes: 'always',
  description: 'With `If-Match`, only while the job has the version of the ETag (412).',
} as const

export const pauseJob = defineRoute({
  ...steers,
  method: 'POST',
  path: '/jobs/:id/pause',
  scope: 'operate',
  summary: 'Pauses a job: no further runs are planned',
  description:
    'Runs planned for future slots are removed. Runs of past slots (backfills, missed slots, runs delayed by jitter) and triggered runs continue; cancel them with `POST /runs/cancel`. With `If-Match`, only while the job has the version of the ETag (412).',
  body: exactly({ note: Type.Optional(text(1_024, { description: 'The reason.' })) }),
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
  summary: 'Resumes a job; slots that passed while it was paused are skipped',
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
  summary: 'Runs a job now, independently of its slots',
  body: exactly({ payload: Type.Optional(anyJson('Replaces the payload of the job.')) }),
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
  summary: 'Skips one future slot',
  body: exactly({ slot: instant }),
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
  summary: 'Runs past slots that did not run; repeating the request runs none twice',
  body: exactly({
    from: instant,
    to: instant,
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
