/** GET /dead-letters: those that match, their causes, and one in full. */
import { deadLetterStates } from '@punctual/core/dead-letter'
import { PunctualError } from '@punctual/core/errors'
import { isRunId } from '@punctual/core/run'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import {
  deadLetterAnswer,
  deadLetterFields,
  deadLetterFilterOf,
  deadLetterMembers,
  deadLetterToWire,
} from '../../wire/dead-letter-fields.ts'
import { logLine, runAnswer, runToWire } from '../../wire/run-answer.ts'
import { answer, exactly, idParam, nullable, oneOf, pageQuery } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'

const looks = { method: 'GET', scope: 'read', tag: 'Dead letters' } as const
const state = Type.Optional(
  oneOf(deadLetterStates, { default: 'open', description: 'Whether they were handled.' }),
)

function afterOf(cursor: string): string {
  if (isRunId(cursor)) return cursor
  const message = 'The cursor is not from this list. Send `next_cursor` unchanged.'
  throw new PunctualError('invalid_cursor', message, { field: 'cursor' })
}

export const listDeadLetters = defineRoute({
  ...looks,
  path: '/dead-letters',
  summary: 'Lists dead letters, the last to die first',
  query: exactly({ ...deadLetterFields, state, ...pageQuery }),
  answer: answer({
    dead_letters: Type.Array(deadLetterAnswer),
    next_cursor: nullable(Type.String()),
  }),
  problems: ['invalid_cursor', 'job_not_found'],
  async handle({ tenant, query }) {
    const { limit = 100, cursor, state: wanted, ...filter } = query
    const { deadLetters, next } = await tenant.deadLetters.page({
      ...deadLetterFilterOf(filter),
      limit,
      ...(wanted !== undefined && { state: wanted }),
      ...(cursor !== undefined && { after: afterOf(cursor) }),
    })
    return { dead_letters: deadLetters.map(deadLetterToWire), next_cursor: next }
  },
})

const cause = answer({
  fingerprint: Type.String(),
  count: Type.Integer(),
  first_died_at: Type.String(),
  last_died_at: Type.String(),
  sample_id: Type.String(),
  sample_message: nullable(Type.String()),
  handlers: Type.Array(Type.String()),
})

export const listDeadLetterCauses = defineRoute({
  ...looks,
  path: '/dead-letters/causes',
  summary: 'Lists dead letters by cause, the largest cause first',
  query: exactly({ ...deadLetterFields, state, limit: pageQuery.limit }),
  answer: answer({ causes: Type.Array(cause) }),
  problems: ['job_not_found'],
  async handle({ tenant, query }) {
    const { limit = 100, state: wanted, ...filter } = query
    const causes = await tenant.deadLetters.causes({
      ...deadLetterFilterOf(filter),
      limit,
      ...(wanted !== undefined && { state: wanted }),
    })
    return { causes: toWire(causes) }
  },
})

export const getDeadLetter = defineRoute({
  ...looks,
  path: '/dead-letters/:id',
  summary: 'Returns a dead letter with its run, the end of its log and its last checkpoint',
  params: idParam,
  answer: answer({
    ...deadLetterMembers,
    run: runAnswer,
    log: Type.Array(logLine),
    checkpoint: Type.Unknown(),
  }),
  problems: ['dead_letter_not_found'],
  async handle({ tenant, params: { id } }) {
    const found = await tenant.deadLetters.get(id)
    if (!found)
      throw new PunctualError(
        'dead_letter_not_found',
        `No dead letter has the id ${id}: the run does not exist, or it is not dead.`,
        { id },
      )
    const { run, log, checkpoint, ...deadLetter } = found
    return { ...toWire({ ...deadLetter, log, checkpoint }), run: runToWire(run) }
  },
})
