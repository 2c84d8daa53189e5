/** POST /worker-sessions/:id/claim: takes runs that are due, and waits for the first of them when there are none. */
import { limits } from '@punctual/core'
import { Type } from 'typebox'
import { body, token, workerRoute } from '../../worker-sessions/define-route.ts'

const lane = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })
const lanes = { maxItems: limits.lanesPerTenant }

export const claimRuns = workerRoute({
  method: 'POST',
  path: '/claim',
  summary: 'Claim runs that are due',
  body: body({
    limit: Type.Integer({ minimum: 0, maximum: limits.runsPerClaim }),
    wait_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.claimWaitMsMax })),
    held: Type.Optional(Type.Array(token, { maxItems: 3 * limits.concurrencyMax })),
    token: Type.Optional(token),
    lanes: Type.Optional(Type.Array(lane, lanes)),
    weights: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), lanes)),
    bulk: Type.Optional(Type.Boolean()),
  }),
  async handle({ sessions, session, body, gone, reply }) {
    const answer = await sessions.claims.claim(session, body, gone)
    reply.type('application/json; charset=utf-8')
    return answer ?? '{}'
  },
})
