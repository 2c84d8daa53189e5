/** Dead letters on the wire: the filter and the answer. */
import { instantOf } from '@punctual/core/check'
import type { DeadLetter, DeadLetterFilter } from '@punctual/core/dead-letter'
import { limits } from '@punctual/core/errors'
import Type, { type Static } from 'typebox'
import { answer, exactly, instant, name, nullable, text } from './schemas.ts'
import { toWire } from './snake.ts'

export const deadLetterFields = {
  queue: Type.Optional(name),
  handler: Type.Optional(name),
  job: Type.Optional(text(limits.nameLength, { description: 'The name or the id of a job.' })),
  fingerprint: Type.Optional(text(300, { description: 'The fingerprint of their error.' })),
  reason: Type.Optional(text(limits.createdByLength, { examples: ['attempts_exhausted'] })),
  died_from: Type.Optional(instant),
  died_before: Type.Optional(instant),
}

export const deadLetterFilter = exactly(deadLetterFields)

export function deadLetterFilterOf(given: Static<typeof deadLetterFilter> = {}): DeadLetterFilter {
  const { queue, handler, job, fingerprint, reason, died_from: from, died_before: before } = given
  return {
    ...(queue !== undefined && { queue }),
    ...(handler !== undefined && { handler }),
    ...(job !== undefined && { job }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(reason !== undefined && { reason }),
    ...(from !== undefined && { diedFrom: instantOf('died_from', from) }),
    ...(before !== undefined && { diedBefore: instantOf('died_before', before) }),
  }
}

export const deadLetterMembers = {
  id: Type.String({ description: 'The id of the run that died.' }),
  handler: Type.String(),
  queue: Type.String(),
  priority: Type.Integer(),
  job: nullable(answer({ id: Type.String(), name: nullable(Type.String()) })),
  reason: Type.String(),
  fingerprint: Type.String(),
  died_at: Type.String(),
  attempts: Type.Integer(),
  error: nullable(answer({ name: Type.String(), message: Type.String() })),
  handled: nullable(
    answer({
      as: Type.String(),
      at: Type.String(),
      replayed_as: nullable(Type.String()),
      note: nullable(Type.String()),
      by: nullable(Type.String()),
    }),
  ),
}

export const deadLetterAnswer = answer(deadLetterMembers)

export function deadLetterToWire(deadLetter: DeadLetter): Static<typeof deadLetterAnswer> {
  return toWire(deadLetter)
}
