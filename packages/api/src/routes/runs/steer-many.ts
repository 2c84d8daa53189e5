/** POST /runs/cancel, /promote and /reschedule: changes all runs that match, up to a limit. */
import { instantOf } from '@punctual/core/check'
import { defaults, limits } from '@punctual/core/errors'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { steerFilter, steerFilterOf } from '../../wire/run-filter.ts'
import { answer, exactly, instant, text } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'

/** The members that bound a bulk change. */
export const manyFields = {
  all: Type.Optional(
    Type.Boolean({ description: 'Allows an empty filter, which matches every run.' }),
  ),
  dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Only counts.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: limits.batchSize, default: defaults.bulkLimit }),
  ),
}

export function manyOptions(body: { all?: boolean; dry_run?: boolean; limit?: number }): {
  all: boolean
  dryRun: boolean
  limit: number
} {
  const { all = false, dry_run: dryRun = false, limit = defaults.bulkLimit } = body
  return { all, dryRun, limit }
}

export const manyAnswer = {
  dry_run: Type.Boolean(),
  matched: Type.Integer({ description: 'Runs that were changed, or would be.' }),
  complete: Type.Boolean({
    description: 'False when more than `limit` match: repeat the request.',
  }),
}

const changed = answer({
  ...manyAnswer,
  states: Type.Record(Type.String(), Type.Integer(), { description: 'Their states before.' }),
  answers: Type.Record(Type.String(), Type.Integer(), { description: 'The results, counted.' }),
  sample: Type.Array(Type.String(), { description: 'The ids of the first ten.' }),
})

const many = {
  method: 'POST',
  scope: 'operate',
  tag: 'Runs',
  writes: 'always',
  answer: changed,
  description:
    'Runs that change state meanwhile are left unchanged. Runs created later are not included.',
  problems: ['job_not_found'],
} as const

const fields = { filter: Type.Optional(steerFilter), ...manyFields }

export const cancelRuns = defineRoute({
  ...many,
  path: '/runs/cancel',
  summary: 'Cancels all runs that match',
  body: exactly({ ...fields, reason: Type.Optional(text(limits.createdByLength)) }),
  async handle({ tenant, body }) {
    const { reason } = body
    const options = { ...manyOptions(body), ...(reason !== undefined && { reason }) }
    return toWire(await tenant.runs.cancelMany(steerFilterOf(body.filter), options))
  },
})

export const promoteRuns = defineRoute({
  ...many,
  path: '/runs/promote',
  summary: 'Makes all runs that match due now',
  body: exactly(fields),
  async handle({ tenant, body }) {
    const filter = steerFilterOf(body.filter)
    return toWire(await tenant.runs.promoteMany(filter, manyOptions(body)))
  },
})

export const rescheduleRuns = defineRoute({
  ...many,
  path: '/runs/reschedule',
  summary: 'Changes when all runs that match are due',
  body: exactly({ ...fields, run_at: instant }),
  async handle({ tenant, body }) {
    const runAt = new Date(instantOf('run_at', body.run_at))
    const filter = steerFilterOf(body.filter)
    return toWire(await tenant.runs.rescheduleMany(filter, runAt, manyOptions(body)))
  },
})
