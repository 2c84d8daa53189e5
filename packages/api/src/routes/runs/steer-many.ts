/** POST /runs/cancel, /promote and /reschedule: the same for all runs that match, so many at a time. */
import { instantOf } from '@punctual/core/check'
import { defaults, limits } from '@punctual/core/errors'
import Type, { type Static } from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import type { BulkResult } from '../../ports/run-service.ts'
import { steerFilter, steerFilterOf } from '../../wire/run-filter.ts'
import { answer, exactly, moment, text } from '../../wire/schemas.ts'

/** How many are meant at once. */
export const manyFields = {
  all: Type.Optional(
    Type.Boolean({ description: 'An empty filter is meant: everything that can be changed so.' }),
  ),
  dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Only count.' })),
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
  matched: Type.Integer({ description: 'How many were dealt with, or would be.' }),
  complete: Type.Boolean({ description: 'False when there are more than `limit`: ask again.' }),
}

const changed = answer({
  ...manyAnswer,
  states: Type.Record(Type.String(), Type.Integer(), { description: 'Which states they had.' }),
  answers: Type.Record(Type.String(), Type.Integer(), { description: 'What became of them.' }),
  sample: Type.Array(Type.String(), { description: 'The ids of the first ten.' }),
})

function toAnswer({ dryRun, ...result }: BulkResult): Static<typeof changed> {
  return { dry_run: dryRun, ...result } as Static<typeof changed>
}

const many = {
  method: 'POST',
  scope: 'operate',
  tag: 'Runs',
  writes: 'always',
  answer: changed,
  description: 'One that has moved on meanwhile is left alone. Runs that come later are not meant.',
  problems: ['job_not_found'],
} as const

const fields = { filter: Type.Optional(steerFilter), ...manyFields }

export const cancelRuns = defineRoute({
  ...many,
  path: '/runs/cancel',
  summary: 'Cancel all runs that match',
  body: exactly({ ...fields, reason: Type.Optional(text(limits.createdByLength)) }),
  async handle({ tenant, body }) {
    const { reason } = body
    const options = { ...manyOptions(body), ...(reason !== undefined && { reason }) }
    return toAnswer(await tenant.runs.cancelMany(steerFilterOf(body.filter), options))
  },
})

export const promoteRuns = defineRoute({
  ...many,
  path: '/runs/promote',
  summary: 'Let all runs that match start now',
  body: exactly(fields),
  async handle({ tenant, body }) {
    const filter = steerFilterOf(body.filter)
    return toAnswer(await tenant.runs.promoteMany(filter, manyOptions(body)))
  },
})

export const rescheduleRuns = defineRoute({
  ...many,
  path: '/runs/reschedule',
  summary: 'Give all runs that match another time',
  body: exactly({ ...fields, run_at: moment }),
  async handle({ tenant, body }) {
    const runAt = new Date(instantOf('run_at', body.run_at))
    const filter = steerFilterOf(body.filter)
    return toAnswer(await tenant.runs.rescheduleMany(filter, runAt, manyOptions(body)))
  },
})
