/**
 * The filter of pages and counts of runs: the run filter, and conditions on history. Conditions
 * that only some states can meet imply those states, so that the store knows which tables to read.
 */

import { checkText, integer } from '../check/check-value.ts'
import type { Instant } from '../check/instant.ts'
import { instantOf } from '../check/instant.ts'
import { oneOf, refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import { type CompiledRunFilter, compileRunFilter, type RunFilter } from './run-filter.ts'
import { finalStates, isFinal, isStarted, type RunState, runStates } from './run-state.ts'

/** A run matches when it meets every condition that is set. */
export interface RunPageFilter extends RunFilter {
  /** Has this key. */
  key?: string
  /** It ended in this range. */
  finished?: { from?: Instant; to?: Instant }
  /** A worker has held it for longer than this. */
  runningOverMs?: number
  /** It died with this fingerprint of a dead letter. */
  fingerprint?: string
  /** It is dead, and was neither replayed nor discarded. */
  notRetried?: true
}

/**
 * The filter, checked; conditions that were not set are left out, and the states are those that can
 * match.
 */
export interface CompiledRunPageFilter extends CompiledRunFilter {
  readonly key?: string
  readonly finishedFromMs?: number
  readonly finishedToMs?: number
  readonly runningOverMs?: number
  readonly fingerprint?: string
  readonly notRetried?: true
}

/**
 * The order of a page: `newest` sorts by run id, which is the order of due times, and `ended` by
 * end, both latest first.
 */
export type RunOrder = 'newest' | 'ended'

const FINAL = Object.keys(finalStates) as RunState[]
const FAILED: readonly RunState[] = FINAL.filter((state) => state !== 'succeeded')
const YEAR_MS = 366 * 86_400_000

export function compileRunPageFilter(filter: RunPageFilter): CompiledRunPageFilter {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    refuseOption('filter', 'an object', filter)
  const { key, finished, runningOverMs, fingerprint, notRetried, ...rest } = filter
  if (notRetried !== undefined && notRetried !== true)
    refuseOption('notRetried', 'true, or left out', notRetried)
  const more = {
    ...(key !== undefined && { key: checkText('key', key, limits.keyLength) }),
    ...endsOf(finished),
    ...(runningOverMs !== undefined && {
      runningOverMs: integer('runningOverMs', runningOverMs, 0, YEAR_MS),
    }),
    ...(fingerprint !== undefined && {
      fingerprint: checkText('fingerprint', fingerprint, limits.descriptionLength),
    }),
    ...(notRetried !== undefined && { notRetried }),
  }
  const { states: requested, ...compiled } = compileRunFilter(rest)
  const states = possibleStates(requested ?? runStates, { ...compiled, ...more })
  return { ...compiled, ...more, ...(states.length < runStates.length && { states }) }
}

function possibleStates(requested: readonly RunState[], filter: CompiledRunPageFilter) {
  let states = requested
  const keep = (wanted: (state: RunState) => boolean, because: string) => {
    const kept = states.filter(wanted)
    if (kept.length === 0)
      refuseOption('states', `states that ${because} can match`, requested.join())
    states = kept
  }
  if (filter.notRetried) keep((state) => state === 'dead', 'notRetried')
  if (filter.fingerprint) keep((state) => state === 'dead', 'fingerprint')
  if (filter.finishedFromMs !== undefined || filter.finishedToMs !== undefined)
    keep(isFinal, 'finished')
  if (filter.runningOverMs !== undefined) keep((state) => isStarted(state), 'runningOverMs')
  return [...new Set(states)]
}

function endsOf(finished: RunPageFilter['finished']) {
  if (finished === undefined) return {}
  if (typeof finished !== 'object' || finished === null)
    return refuseOption('finished', 'an object with from and to', finished)
  const { from, to, ...others } = finished
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) refuseOption('finished', 'an object with from and to only', unknown)
  return {
    ...(from !== undefined && { finishedFromMs: instantOf('finished.from', from) }),
    ...(to !== undefined && { finishedToMs: instantOf('finished.to', to) }),
  }
}

/** Whether only runs that ended without success can match: the store finds those by their end. */
export function onlyFailed({ states }: CompiledRunPageFilter): boolean {
  return states?.every((state) => FAILED.includes(state)) ?? false
}

/** Sorts by end when the filter selects unsuccessful ends in a range of time; otherwise by id. */
export function orderOf(filter: CompiledRunPageFilter, requested: unknown): RunOrder {
  if (requested === undefined) {
    const timed = filter.finishedFromMs !== undefined || filter.finishedToMs !== undefined
    return timed && onlyFailed(filter) ? 'ended' : 'newest'
  }
  const order = oneOf('order', ['newest', 'ended'], requested)
  if (order === 'ended' && !onlyFailed(filter))
    refuseOption('order', `newest, unless states are of ${FAILED.join(', ')}`, order)
  return order
}

/** The property by which runs are counted. */
export type CountBy =
  | 'state'
  | 'job'
  | 'queue'
  | 'handler'
  | 'fingerprint'
  | 'day'
  | `label:${string}`

const GROUPS = ['state', 'job', 'queue', 'handler', 'fingerprint', 'day'] as const

export interface CompiledCountBy {
  readonly by: (typeof GROUPS)[number] | 'label'
  readonly label: string | null
}

export function compileCountBy(by: unknown): CompiledCountBy {
  if (typeof by === 'string' && by.startsWith('label:'))
    return { by: 'label', label: checkText('by', by.slice(6), limits.labelKeyLength) }
  const found = GROUPS.find((group) => group === by)
  return found
    ? { by: found, label: null }
    : refuseOption('by', `${GROUPS.join(', ')} or label:<name>`, by)
}
