/** POST /worker-sessions/:id/settle: what became of runs. May be repeated; what follows is decided here. */
import { limits, PunctualError } from '@punctual/core/errors'
import { wireOutcomes } from '@punctual/core/wire'
import { Type } from 'typebox'
import { answer } from '../../wire/schemas.ts'
import { body, fenceFields, workerRoute } from '../define-route.ts'

const text = Type.Optional(Type.String())
const outcome = body({
  ...fenceFields,
  outcome: Type.Union(wireOutcomes.map((it) => Type.Literal(it))),
  output: Type.Optional(Type.Unknown()),
  error: Type.Optional(
    body({
      ...{ name: text, message: text, stack: text, code: text },
      retryable: Type.Optional(Type.Boolean()),
    }),
  ),
  reason: text,
  retry_after_ms: Type.Optional(Type.Number({ minimum: 0, maximum: limits.delayMsMax })),
  started_ms_ago: Type.Optional(Type.Union([Type.Number({ minimum: 0 }), Type.Null()])),
})

/** One shape for all, which is written fastest: thousands a second are. */
const settled = answer({
  run_id: Type.String(),
  accepted: Type.Boolean(),
  state: Type.Optional(Type.String({ description: 'What it is now, where it is accepted.' })),
  code: Type.Optional(Type.String({ description: '`lease_lost`, where it is not.' })),
  detail: Type.Optional(Type.String({ description: 'Why it is not.' })),
})

export const settleRuns = workerRoute({
  method: 'POST',
  path: '/settle',
  summary: 'Settle a batch of outcomes',
  body: body({ outcomes: Type.Array(outcome, { maxItems: limits.outcomesPerSettle }) }),
  answer: answer({ results: Type.Array(settled) }),
  async handle({ sessions, session, body: { outcomes } }) {
    if (new Set(outcomes.map((it) => it.run_id)).size < outcomes.length)
      throw new PunctualError('invalid_option', 'A batch names each run once.', {
        field: 'outcomes',
      })
    return { results: await sessions.outcomes.settle(session, outcomes) }
  },
})
