/**
 * Runs that ended dead, as people deal with them. A dead letter is open until somebody handles it, once: it is
 * replayed, which makes a new run, or discarded with a reason. The dead run itself stays as it was.
 */

import { checkName, checkText } from '../check/check-value.ts'
import type { Instant } from '../check/instant.ts'
import { instantOf } from '../check/instant.ts'
import { oneOf, refuseOption } from '../check/refuse-option.ts'
import { storableText } from '../errors/failure.ts'
import { limits } from '../errors/limits.ts'

/** What came of a dead letter. Numbers are what the database stores. */
export const handlings = { replayed: 1, discarded: 2 } as const

/** What came of a dead letter: it was done again, or closed without. */
export type Handling = keyof typeof handlings

export function handlingOf(code: number): Handling {
  return code === handlings.replayed ? 'replayed' : 'discarded'
}

/** What somebody did about a dead letter. */
export interface DeadLetterHandling {
  /** What came of it. */
  readonly as: Handling
  /** When. */
  readonly at: Date
  /** The run that does it again; null when it was discarded. */
  readonly replayedAs: string | null
  /** Why, where that was said. */
  readonly note: string | null
  /** By whom, where that was said. */
  readonly by: string | null
}

/** A run that died, until somebody handles it and after. */
export interface DeadLetter {
  /** The id of the run that died. */
  readonly id: string
  /** The name of its handler. */
  readonly handler: string
  /** The queue that it was in. */
  readonly queue: string
  /** From 0 to 10, higher first. */
  readonly priority: number
  /** The job that it was a run of; its name is null when the job was deleted. */
  readonly job: { readonly id: string; readonly name: string | null } | null
  /** Why it died: `attempts_exhausted`, `non_retryable`, `quarantined`, … */
  readonly reason: string
  /** The kind of its error and its message without ids and numbers: what dies alike has the same. */
  readonly fingerprint: string
  /** When it died. */
  readonly diedAt: Date
  /** How many attempts were made at it. */
  readonly attempts: number
  /** What its last attempt failed of; null when it did not fail. */
  readonly error: { readonly name: string; readonly message: string } | null
  /** What became of it, when, why and by whom; null while it is open. */
  readonly handled: DeadLetterHandling | null
}

/** Dead letters with one fingerprint. */
export interface DeadLetterCause {
  /** What these have in common. */
  readonly fingerprint: string
  /** How many there are. */
  readonly count: number
  /** When the first of them died. */
  readonly firstDiedAt: Date
  /** When the last of them died. */
  readonly lastDiedAt: Date
  /** The last one that died. */
  readonly sampleId: string
  /** The error message of that one. */
  readonly sampleMessage: string | null
  /** The names of their handlers. */
  readonly handlers: readonly string[]
}

/** A dead letter matches when all that is said here is true of it. */
export interface DeadLetterFilter {
  /** In this queue. */
  queue?: string
  /** Of this handler. */
  handler?: string
  /** By name or id. A job that was deleted has only its id. */
  job?: string
  /** with this fingerprint, as `causes` returns it. */
  fingerprint?: string
  /** Dead for this reason, such as `attempts_exhausted`. */
  reason?: string
  /** Dead from this moment on. */
  diedFrom?: Instant
  /** Dead before this moment. */
  diedBefore?: Instant
}

export const deadLetterStates = ['open', 'handled', 'all'] as const

/** Those that nobody has handled, those that somebody has, or both. */
export type DeadLetterState = (typeof deadLetterStates)[number]

/** A filter as it is used inside: checked, and null where it says nothing. */
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
    if (!known.includes(name)) refuseOption('filter', `made of ${known.join(', ')}`, name)
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

/** It may hold whatever a message held that could be stored. */
function checkFingerprint(text: unknown): string {
  if (typeof text !== 'string' || text.length === 0 || text.length > FINGERPRINT_LENGTH)
    return refuseOption('fingerprint', `a text of 1 to ${FINGERPRINT_LENGTH} characters`, text)
  if (text === storableText(text, FINGERPRINT_LENGTH)) return text
  return refuseOption('fingerprint', 'free of NUL and broken surrogates', text)
}

/** Whether a filter leaves everything in. */
export function isEmptyFilter(filter: CompiledDeadLetterFilter): boolean {
  return Object.values(filter).every((value) => value === null)
}

export function deadLetterStateOf(state: unknown = 'open'): DeadLetterState {
  return oneOf('state', deadLetterStates, state)
}
