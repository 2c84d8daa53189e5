/** POST /dead-letters/:id/replay and /discard: handles one dead letter. */
import { limits, PunctualError } from '@punctual/core/errors'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { answer, anyJson, exactly, idParam, oneOf, text } from '../../wire/schemas.ts'
import { replay } from '../runs/retry.ts'

const handles = {
  method: 'POST',
  scope: 'operate',
  tag: 'Dead letters',
  params: idParam,
  writes: 'always',
  problems: ['dead_letter_not_found', 'already_handled', 'key_conflict'],
} as const

export const replayDeadLetter = defineRoute({
  ...handles,
  path: '/dead-letters/:id/replay',
  summary: 'Replays a dead letter as a new run, due now',
  body: exactly({
    payload: Type.Optional(anyJson('Replaces the payload.')),
    from_checkpoint: Type.Optional(Type.Boolean()),
    note: Type.Optional(
      text(limits.descriptionLength, { description: 'The reason; stored with it.' }),
    ),
  }),
  answer: answer({ id: Type.String(), run_id: Type.String({ description: 'The new run.' }) }),
  status: 201,
  async handle({ tenant, params: { id }, body, actor: { name: by } }) {
    return replay(tenant, id, body, by)
  },
})

export const discardDeadLetter = defineRoute({
  ...handles,
  path: '/dead-letters/:id/discard',
  summary: 'Discards a dead letter without running it again',
  body: exactly({
    reason: text(limits.descriptionLength, { description: 'The reason; stored with it.' }),
  }),
  answer: answer({ id: Type.String(), result: oneOf(['discarded'] as const) }),
  async handle({ tenant, params: { id }, body, actor: { name: by } }) {
    const options = { reason: body.reason, ...(by !== undefined && { by }) }
    const result = await tenant.deadLetters.discard(id, options)
    if (result === 'discarded') return { id, result }
    const message = `The dead letter ${id} was already replayed or discarded. GET /v1/dead-letters/${id} returns by whom.`
    throw new PunctualError('already_handled', message, { id })
  },
})
