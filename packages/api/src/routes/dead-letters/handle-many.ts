/**
 * POST /dead-letters/replay and /discard: handles all open dead letters that match, oldest first.
 */
import { limits } from '@punctual/core/errors'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { deadLetterFilter, deadLetterFilterOf } from '../../wire/dead-letter-fields.ts'
import { answer, exactly, text } from '../../wire/schemas.ts'
import { manyAnswer, manyFields, manyOptions } from '../runs/steer-many.ts'

const many = {
  method: 'POST',
  scope: 'operate',
  tag: 'Dead letters',
  writes: 'always',
  problems: ['job_not_found'],
} as const

const fields = { filter: Type.Optional(deadLetterFilter), ...manyFields }

/** The counts of the answer; at most `limit` dead letters are handled. */
function counted(matching: number, { dryRun, limit }: { dryRun: boolean; limit: number }) {
  return { dry_run: dryRun, matched: Math.min(matching, limit), complete: matching <= limit }
}

export const bulkReplay = defineRoute({
  ...many,
  path: '/dead-letters/replay',
  summary: 'Replays all open dead letters that match',
  description: 'At full speed and in one transaction; the library can limit the rate.',
  body: exactly({
    ...fields,
    from_checkpoint: Type.Optional(Type.Boolean()),
    note: Type.Optional(
      text(limits.descriptionLength, { description: 'The reason; stored with each.' }),
    ),
  }),
  answer: answer({
    ...manyAnswer,
    replayed: Type.Integer(),
    already_handled: Type.Integer(),
    key_busy: Type.Integer({ description: 'Still open, because a live run has their key.' }),
    run_ids: Type.Array(Type.String(), { description: 'The new runs.' }),
  }),
  async handle({ tenant, body, actor: { name: by } }) {
    const options = manyOptions(body)
    const { note, from_checkpoint: fromCheckpoint } = body
    const done = await tenant.deadLetters.replayMany(deadLetterFilterOf(body.filter), {
      ...options,
      perSecond: Number.POSITIVE_INFINITY,
      ...(fromCheckpoint !== undefined && { fromCheckpoint }),
      ...(note !== undefined && { note }),
      ...(by !== undefined && { by }),
    })
    const { matching, replayed, alreadyHandled, keyBusy, runIds } = done
    return {
      ...counted(matching, options),
      ...{ replayed, already_handled: alreadyHandled, key_busy: keyBusy, run_ids: [...runIds] },
    }
  },
})

export const bulkDiscard = defineRoute({
  ...many,
  path: '/dead-letters/discard',
  summary: 'Discards all open dead letters that match',
  body: exactly({
    ...fields,
    reason: text(limits.descriptionLength, { description: 'The reason; stored with each.' }),
  }),
  answer: answer({ ...manyAnswer, discarded: Type.Integer() }),
  async handle({ tenant, body, actor: { name: by } }) {
    const options = manyOptions(body)
    const { matching, discarded } = await tenant.deadLetters.discardMany(
      deadLetterFilterOf(body.filter),
      { ...options, reason: body.reason, ...(by !== undefined && { by }) },
    )
    return { ...counted(matching, options), discarded }
  },
})
