/** Operations on a live run: cancel, reschedule, promote, change the priority or the payload. */
import { instantOf } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import { runStates } from '@punctual/core/run'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import {
  answer,
  anyJson,
  exactly,
  idParam,
  instant,
  oneOf,
  text,
  whole,
} from '../../wire/schemas.ts'
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
  summary: 'Cancels a run',
  description:
    'A run that has not started becomes `cancelled`. The handler of a running one is asked to end: the run is `cancelling` until it has ended, for at most 30 s. Repeating the request changes nothing.',
  body: exactly({
    reason: Type.Optional(text(limits.createdByLength, { description: 'Stored with the run.' })),
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
  summary: 'Changes when a run that has not started is due',
  body: exactly({ run_at: instant }),
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
  summary: 'Makes a scheduled run due now',
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
  summary: 'Changes the priority of a run that has not started',
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
  summary: 'Replaces the payload of a run before its first attempt',
  body: exactly({ payload: anyJson('The new payload.') }),
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
