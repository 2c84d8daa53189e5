/**
 * Runs that ended dead, for handling by users. A dead letter is open until it is handled, once: it
 * is replayed, which creates a new run, or discarded with a reason. The dead run itself stays
 * unchanged.
 */

import { checkName, checkText } from '../check/check-value.ts'
import type { Instant } from '../check/instant.ts'
import { instantOf } from '../check/instant.ts'
import { oneOf, refuseOption } from '../check/refuse-option.ts'
import { storableText } from '../errors/failure.ts'
import { limits } from '../errors/limits.ts'

/** The ways to handle a dead letter. Numbers are what the database stores. */
export const handlings = { replayed: 1, discarded: 2 } as const

/** How a dead letter was handled: `replayed` as a new run, or `discarded` without one. */
export type Handling = keyof typeof handlings

export function handlingOf(code: number): Handling {
  return code === handlings.replayed ? 'replayed' : 'discarded'
}

/** The handling of a dead letter. */
export interface DeadLetterHandling {
  /** How it was handled. */
  readonly as: Handling
  /** When it was handled. */
  readonly at: Date
  /** The id of the run that replays it; null when it was discarded. */
  readonly replayedAs: string | null
  /** The note of the handling; null without one. */
  readonly note: string | null
  /** Who handled it; null when not given. */
  readonly by: string | null
}

/** A dead run, open or handled. */
export interface DeadLetter {
  /** The id of the dead run. */
  readonly id: string
  /** The name of its handler. */
  readonly handler: string
  /** The name of its queue. */
  readonly queue: string
  /** From 0 to 10, higher first. */
  readonly priority: number
  /** Its job; the name is null when the job was deleted. Null for a submitted run. */
  readonly job: { readonly id: string; readonly name: string | null } | null
  /** Why it died: `attempts_exhausted`, `non_retryable`, `quarantined`, … */
  readonly reason: string
  /**
   * The type of its error and the message without ids and numbers: the same for failures with one
   * cause.
   */
  readonly fingerprint: string
  /** When it died. */
  readonly diedAt: Date
  /** The number of attempts made. */
  readonly attempts: number
  /** The error of its last attempt; null when it did not fail. */
  readonly error: { readonly name: string; readonly message: string } | null
  /** How it was handled; null while it is open. */
  readonly handled: DeadLetterHandling | null
}

/** Dead letters with one fingerprint. */
export interface DeadLetterCause {
  /** The common fingerprint. */
  readonly fingerprint: string
  /** The number of dead letters. */
  readonly count: number
  /** When the first of them died. */
  readonly firstDiedAt: Date
  /** When the last of them died. */
  readonly lastDiedAt: Date
  /** The id of the last one that died. */
  readonly sampleId: string
  /** The error message of that dead letter; null without an error. */
  readonly sampleMessage: string | null
  /** The names of their handlers. */
  readonly handlers: readonly string[]
}

/** A dead letter matches when it meets every condition that is set. */
export interface DeadLetterFilter {
  /** The name of its queue. */
  queue?: string
  /** The name of its handler. */
  handler?: string
  /** The name or id of its job. A deleted job has only its id. */
  job?: string
  /** Its fingerprint, as `causes` returns it. */
  fingerprint?: string
  /** Why it died, such as `attempts_exhausted`. */
  reason?: string
  /** It died at or after this instant. */
  diedFrom?: Instant
  /** It died before this instant. */
  diedBefore?: Instant
}

export const deadLetterStates = ['open', 'handled', 'all'] as const

/** Open dead letters, handled ones, or both. */
export type DeadLetterState = (typeof deadLetterStates)[number]

/** The filter, checked; null for conditions that were not set. */
export interface CompiledDeadLetterFilter {
  readonly queue: string | null
  readonly handler: string | null
  readonly job: string | null
  readonly fingerprint: string | null
  readonly reason: string | null
  readonly fromMs: number | null
  readonly beforeMs: number | null
}

const FIELDS = ['queue', 'handler', 'job', 'fingerprint', 'reason', 'diedFrom', 'diedBefore']
const FINGERPRINT_LENGTH = 300

function given<T, R>(value: T | undefined, check: (value: T) => R): R | null {
  return value === undefined ? null : check(value)
}

export function compileDeadLetterFilter(
  filter: DeadLetterFilter,
  alsoKnown: readonly string[] = [],
): CompiledDeadLetterFilter {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    refuseOption('filter', 'an object', filter)
  const known = [...FIELDS, ...alsoKnown]
  for (const name of Object.keys(filter))
    if (!known.includes(name))
      refuseOption('filter', `an object with ${known.join(', ')} only`, name)
  const { diedFrom, diedBefore } = filter
  const compiled = {
    queue: given(filter.queue, (name) => checkName('queue', name)),
    handler: given(filter.handler, (name) => checkName('handler', name)),
    job: given(filter.job, (name) => checkName('job', name)),
    fingerprint: given(filter.fingerprint, checkFingerprint),
    reason: given(filter.reason, (reason) => checkText('reason', reason, limits.createdByLength)),
    fromMs: given(diedFrom, (at) => Math.floor(instantOf('diedFrom', at))),
    beforeMs: given(diedBefore, (at) => Math.floor(instantOf('diedBefore', at))),
  }
  const { fromMs, beforeMs } = compiled
  if (fromMs !== null && beforeMs !== null && beforeMs <= fromMs)
    refuseOption('diedBefore', 'later than diedFrom', diedBefore)
  return compiled
}

/** A fingerprint may contain any character that a stored error message may contain. */
function checkFingerprint(text: unknown): string {
  if (typeof text !== 'string' || text.length === 0 || text.length > FINGERPRINT_LENGTH)
    return refuseOption('fingerprint', `a string of 1 to ${FINGERPRINT_LENGTH} characters`, text)
  if (text === storableText(text, FINGERPRINT_LENGTH)) return text
  return refuseOption('fingerprint', 'free of NUL and unpaired surrogates', text)
}

/** Whether a filter has no conditions. */
export function isEmptyFilter(filter: CompiledDeadLetterFilter): boolean {
  return Object.values(filter).every((value) => value === null)
}

export function deadLetterStateOf(state: unknown = 'open'): DeadLetterState {
  return oneOf('state', deadLetterStates, state)
}
