/** What is done to a run that has not ended: cancel, reschedule, promote, another priority, another payload. */
import { instantOf } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import { runStates } from '@punctual/core/run'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { whole } from '../../wire/run-fields.ts'
import { answer, anyJson, exactly, idParam, moment, oneOf, text } from '../../wire/schemas.ts'
import { findRun, refuseRun, refuseState } from './find-run.ts'

const steers = {
  method: 'POST',
  scope: 'operate',
  tag: 'Runs',
  params: idParam,
  writes: 'always',
  problems: ['run_not_found', 'already_finished', 'state_conflict'],
} as const

const steered = answer({
  id: Type.String(),
  result: Type.String(),
  state: oneOf(runStates),
})

export const cancelRun = defineRoute({
  ...steers,
  path: '/runs/:id/cancel',
  summary: 'Cancel a run',
  description:
    'One that has not started is `cancelled`. Of one that runs the handler is asked to end: it is `cancelling` until it has, for 30 s at most. To ask again changes nothing.',
  body: exactly({
    reason: Type.Optional(text(limits.createdByLength, { description: 'Kept with the run.' })),
  }),
  answer: steered,
  async handle({ tenant, params: { id }, body }) {
    const { result, state } = await tenant.runs.cancel(id, body.reason)
    return result === 'already_finished'
      ? refuseState(id, state, 'cancelled')
      : { id, result, state }
  },
})

export const rescheduleRun = defineRoute({
  ...steers,
  path: '/runs/:id/reschedule',
  summary: 'Give a run that has not started another time',
  body: exactly({ run_at: moment }),
  answer: steered,
  async handle({ tenant, params: { id }, body }) {
    const result = await tenant.runs.reschedule(id, new Date(instantOf('run_at', body.run_at)))
    if (result !== 'rescheduled') return refuseRun(tenant, id, 'rescheduled')
    return { id, result, state: (await findRun(tenant, id)).state }
  },
})

export const promoteRun = defineRoute({
  ...steers,
  path: '/runs/:id/promote',
  summary: 'Let a run start now whose time has not come',
  answer: steered,
  async handle({ tenant, params: { id } }) {
    const result = await tenant.runs.promote(id)
    if (result !== 'promoted' && result !== 'already_due') return refuseRun(tenant, id, 'promoted')
    return { id, result, state: (await findRun(tenant, id)).state }
  },
})

export const prioritiseRun = defineRoute({
  ...steers,
  path: '/runs/:id/priority',
  summary: 'Give a run that has not started another priority',
  body: exactly({ priority: whole(limits.priorityMin, limits.priorityMax, 'Higher first.') }),
  answer: steered,
  async handle({ tenant, params: { id }, body }) {
    const result = await tenant.runs.reprioritise(id, body.priority)
    if (result !== 'reprioritised') return refuseRun(tenant, id, 're-prioritised')
    return { id, result, state: (await findRun(tenant, id)).state }
  },
})

export const patchRun = defineRoute({
  ...steers,
  method: 'PATCH',
  path: '/runs/:id',
  summary: 'Give a run another payload, before its first attempt',
  body: exactly({ payload: anyJson('In place of its own.') }),
  answer: steered,
  async handle({ tenant, params: { id }, body }) {
    const result = await tenant.runs.edit(id, { payload: body.payload })
    if (result !== 'edited')
      return refuseRun(
        tenant,
        id,
        result === 'attempted' ? 'edited after its first attempt' : 'edited',
      )
    return { id, result, state: (await findRun(tenant, id)).state }
  },
})
