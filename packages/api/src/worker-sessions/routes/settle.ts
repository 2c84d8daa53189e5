/** POST /worker-sessions/:id/settle: stores outcomes, and decides what follows. May be repeated. */
import { limits, PunctualError } from '@punctual/core/errors'
import { wireOutcomes } from '@punctual/core/wire'
import { Type } from 'typebox'
import { answer } from '../../wire/schemas.ts'
import { body, fenceFields, workerRoute } from '../define-route.ts'

const text = Type.Optional(Type.String())
const outcome = body({
  ...fenceFields,
  outcome: Type.Union(wireOutcomes.map((outcome) => Type.Literal(outcome))),
  output: Type.Optional(Type.Unknown()),
  error: Type.Optional(
    body({
      ...{ name: text, message: text, stack: text, code: text },
      retryable: Type.Optional(Type.Boolean()),
    }),
  ),
  reason: text,
  retry_after_ms: Type.Optional(Type.Number({ minimum: 0, maximum: limits.delayMsMax })),
  timeout_ms: Type.Optional(Type.Number({ minimum: 1, maximum: limits.delayMsMax })),
  status_url: Type.Optional(
    Type.Union([Type.String({ maxLength: limits.descriptionLength }), Type.Null()]),
  ),
  started_ms_ago: Type.Optional(Type.Union([Type.Number({ minimum: 0 }), Type.Null()])),
})

/**
 * One flat object for both results, which serialises fastest: a node answers thousands a second.
 */
const settled = answer({
  run_id: Type.String(),
  accepted: Type.Boolean(),
  state: Type.Optional(Type.String({ description: 'The new state, when it is accepted.' })),
  code: Type.Optional(Type.String({ description: '`lease_lost`, when it is not accepted.' })),
  detail: Type.Optional(Type.String({ description: 'The reason, when it is not accepted.' })),
})

export const settleRuns = workerRoute({
  method: 'POST',
  path: '/settle',
  summary: 'Settles a batch of outcomes',
  body: body({ outcomes: Type.Array(outcome, { maxItems: limits.outcomesPerSettle }) }),
  answer: answer({ results: Type.Array(settled) }),
  async handle({ sessions, session, body: { outcomes } }) {
    if (new Set(outcomes.map((outcome) => outcome.run_id)).size < outcomes.length)
      throw new PunctualError('invalid_option', 'outcomes must name each run only once.', {
        field: 'outcomes',
      })
    return { results: await sessions.outcomes.settle(session, outcomes) }
  },
})
