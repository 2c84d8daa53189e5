/**
 * POST /worker-sessions/:id/claim: claims due runs, and waits for the first one when none is due.
 */
import { limits } from '@punctual/core/errors'
import { Type } from 'typebox'
import { answer, nullable } from '../../wire/schemas.ts'
import { body, token, workerRoute } from '../define-route.ts'

const lane = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })
const lanes = { maxItems: limits.quotaLanesMax }

const maybe = nullable(Type.String())
const run = answer({
  run_id: Type.String(),
  fence: Type.String({ description: 'A number of 63 bits, as a string.' }),
  ...{ handler: Type.String(), queue: Type.String(), priority: Type.Integer() },
  tenant_id: Type.Integer(),
  attempt: Type.Integer({ description: 'Counted from 1.' }),
  max_attempts: Type.Integer(),
  timeout_ms: Type.Integer({ description: 'Enforced by the worker; 0 for none.' }),
  mark_start: Type.Boolean({ description: 'Its start must be marked before it may start.' }),
  due_at: Type.String(),
  expires_in_ms: nullable(Type.Integer()),
  ...{ trace: maybe, job_id: maybe, slot_at: maybe, missed_from: maybe },
  ...{ lane: Type.Integer(), weight: Type.Integer(), crashes: Type.Integer() },
  traits: Type.Integer(),
  payload: Type.Unknown(),
  policy: Type.Unknown(),
  checkpoint: Type.Unknown({ description: 'The last checkpoint of an earlier attempt.' }),
})

export const claimRuns = workerRoute({
  method: 'POST',
  path: '/claim',
  summary: 'Claims due runs',
  waits: true,
  problems: ['too_many_waits'],
  body: body({
    limit: Type.Integer({ minimum: 0, maximum: limits.runsPerClaim }),
    wait_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.claimWaitMsMax })),
    held: Type.Optional(Type.Array(token, { maxItems: 3 * limits.concurrencyMax })),
    lanes: Type.Optional(Type.Array(lane, lanes)),
    weights: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), lanes)),
    bulk: Type.Optional(Type.Boolean()),
  }),
  answer: answer({
    runs: Type.Array(run),
    more: Type.Boolean({ description: 'More runs may be due.' }),
    next_due_in_ms: nullable(Type.Number()),
    drains: Type.Boolean(),
    gave: Type.Array(answer({ lane: Type.Integer(), runs: Type.Integer(), full: Type.Boolean() }), {
      description: 'The number of runs from each lane.',
    }),
  }),
  async handle({ sessions, session, body, gone, recheck, whenSent, reply }) {
    const answer = await sessions.claims.claim(session, body, { gone, recheck, whenSent })
    reply.type('application/json; charset=utf-8')
    return answer ?? '{}'
  },
})
