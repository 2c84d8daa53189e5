/** Converts rows of the dead letter statements to the public types. */
import { type DeadLetter, type DeadLetterCause, handlingOf } from '@punctual/core/dead-letter'
import { invariant } from '@punctual/core/errors'
import type { GroupLettersRow, ListLastWordsRow, ListLettersRow } from './statements.gen.ts'

export interface LastWords {
  readonly attempts: number
  readonly error: DeadLetter['error']
}

export function toLastWords({ attempt, name, message }: ListLastWordsRow): LastWords {
  return {
    attempts: attempt,
    error: name || message ? { name: name ?? 'Error', message: message ?? '' } : null,
  }
}

export function toDeadLetter(row: ListLettersRow, words: LastWords | undefined): DeadLetter {
  const { runId, handler, queue, priority, jobId, job, reason, fingerprint, diedAt } = row
  return {
    ...{ id: runId, handler, queue, priority, reason, fingerprint, diedAt },
    job: jobId === null ? null : { id: jobId, name: job },
    attempts: words?.attempts ?? 0,
    error: words?.error ?? null,
    handled: handledIn(row),
  }
}

function handledIn(row: ListLettersRow): DeadLetter['handled'] {
  const { handledAt, handling, replayedAs, note, handledBy } = row
  if (handledAt === null) return null
  invariant(handling !== null, 'a handled dead letter says how')
  return { as: handlingOf(handling), at: handledAt, replayedAs, note, by: handledBy }
}

export function toCause(
  row: GroupLettersRow,
  words: ReadonlyMap<string, LastWords>,
): DeadLetterCause {
  const { fingerprint, letters, firstDiedAt, lastDiedAt, sample, handlers } = row
  return {
    ...{ fingerprint, count: letters, firstDiedAt, lastDiedAt, handlers },
    sampleId: sample,
    sampleMessage: words.get(sample)?.error?.message ?? null,
  }
}
