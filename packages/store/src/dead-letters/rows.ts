/** Converts rows of the dead letter statements to the public types. */
import { type DeadLetter, type DeadLetterCause, handlingOf } from '@punctual/core/dead-letter'
import type { Row } from '../connection/channel.ts'

export interface LastWords {
  readonly attempts: number
  readonly error: DeadLetter['error']
}

export function toLastWords([, attempt, name, message]: Row): LastWords {
  return {
    attempts: Number(attempt),
    error: name || message ? { name: name ?? 'Error', message: message ?? '' } : null,
  }
}

export function toDeadLetter(row: Row, words: LastWords | undefined): DeadLetter {
  const [id, handler, queue, priority, jobId, job, reason, fingerprint, diedAt, ...rest] = row
  const [handledAt, handling, replayedAs, note, handledBy] = rest
  return {
    id: id as string,
    handler: handler as string,
    queue: queue as string,
    priority: Number(priority),
    job: jobId ? { id: jobId, name: job ?? null } : null,
    reason: reason as string,
    fingerprint: fingerprint as string,
    diedAt: new Date(diedAt as string),
    attempts: words?.attempts ?? 0,
    error: words?.error ?? null,
    handled: handledAt
      ? {
          as: handlingOf(Number(handling)),
          at: new Date(handledAt),
          replayedAs: replayedAs ?? null,
          note: note ?? null,
          by: handledBy ?? null,
        }
      : null,
  }
}

export function toCause(row: Row, words: ReadonlyMap<string, LastWords>): DeadLetterCause {
  const [fingerprint, count, first, last, sample, handlers] = row as readonly string[]
  return {
    fingerprint: fingerprint as string,
    count: Number(count),
    firstDiedAt: new Date(first as string),
    lastDiedAt: new Date(last as string),
    sampleId: sample as string,
    sampleMessage: words.get(sample as string)?.error?.message ?? null,
    handlers: JSON.parse(handlers as string) as string[],
  }
}
