/** The filter for runs: used for listing them and for changing many at the same time. */

import { checkName, checkText } from '../check/check-value.ts'
import type { Instant } from '../check/instant.ts'
import { instantOf } from '../check/instant.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import { compileLabels } from './labels.ts'
import { isRunId } from './run-id.ts'
import { type RunState, runStates } from './run-state.ts'

/** A range of time; either end may be open. */
export interface TimeRange {
  /** The first instant, included. */
  from?: Instant
  /** The end of the range, excluded. */
  to?: Instant
}

/** A run matches when it meets every condition that is set. */
export interface RunFilter {
  /** Is in any of these states; an empty list stands for all. */
  states?: readonly RunState[]
  /** The name of its handler. */
  handler?: string
  /** The name of its queue. */
  queue?: string
  /** The name or the id of its job. */
  job?: string
  /** Has all of these labels, with these values. */
  labels?: Readonly<Record<string, string>>
  /** Its key begins with this. */
  keyPrefix?: string
  /** Its `dueAt` is in this range. */
  due?: TimeRange
  /** It was accepted in this range. */
  created?: TimeRange
  /** Its id is one of these, up to 10,000; an empty list matches no run. */
  ids?: readonly string[]
}

/** The filter, checked; conditions that were not set are left out. */
export interface CompiledRunFilter {
  readonly states?: readonly RunState[]
  readonly handler?: string
  readonly queue?: string
  /** As given: the caller looks up the id. */
  readonly job?: string
  /** JSON. */
  readonly labels?: string
  readonly keyPrefix?: string
  readonly dueFromMs?: number
  readonly dueToMs?: number
  readonly createdFromMs?: number
  readonly createdToMs?: number
  readonly ids?: readonly string[]
}

const KNOWN: ReadonlySet<string> = new Set([
  ...['states', 'handler', 'queue', 'job', 'labels', 'keyPrefix', 'due', 'created', 'ids'],
])

export function compileRunFilter(filter: RunFilter): CompiledRunFilter {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    refuseOption('filter', 'an object', filter)
  for (const name of Object.keys(filter))
    if (!KNOWN.has(name))
      refuseOption('filter', `an object with ${[...KNOWN].join(', ')} only`, name.slice(0, 80))
  const { handler, queue, job, keyPrefix, ids } = filter
  const states = statesOf(filter.states)
  const labels = compileLabels(filter.labels)
  return {
    ...(states.length > 0 && { states }),
    ...(handler !== undefined && { handler: checkName('handler', handler) }),
    ...(queue !== undefined && { queue: checkName('queue', queue) }),
    ...(job !== undefined && { job: checkName('job', job) }),
    ...(labels !== null && { labels }),
    ...(keyPrefix !== undefined && {
      keyPrefix: checkText('keyPrefix', keyPrefix, limits.keyLength),
    }),
    ...rangeOf('due', filter.due),
    ...rangeOf('created', filter.created),
    ...(ids !== undefined && { ids: idsOf(ids) }),
  }
}

function statesOf(states: unknown = []): readonly RunState[] {
  if (!Array.isArray(states)) return refuseOption('states', 'a list of states', states)
  for (const state of states)
    if (!runStates.includes(state))
      refuseOption('states', `a list of ${runStates.join(', ')}`, state)
  return states
}

function idsOf(ids: unknown): readonly string[] {
  if (!Array.isArray(ids) || ids.length > limits.batchSize)
    return refuseOption('ids', `a list of at most ${limits.batchSize} run ids`, ids)
  for (const id of ids)
    if (typeof id !== 'string' || !isRunId(id)) refuseOption('ids', 'a list of run ids', id)
  return [...new Set(ids.map((id) => id.toLowerCase()))].sort()
}

function rangeOf<Name extends 'due' | 'created'>(name: Name, range: TimeRange | undefined) {
  if (range === undefined) return {}
  if (typeof range !== 'object' || range === null)
    refuseOption(name, 'an object with from and to', range)
  const { from, to, ...others } = range
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) refuseOption(name, 'an object with from and to only', unknown)
  return {
    ...(from !== undefined && { [`${name}FromMs`]: instantOf(`${name}.from`, from) }),
    ...(to !== undefined && { [`${name}ToMs`]: instantOf(`${name}.to`, to) }),
  }
}

/** The states to which each bulk change applies. */
export const steerableStates = {
  cancel: ['waiting', 'scheduled', 'queued', 'running', 'cancelling', 'awaiting'],
  promote: ['scheduled'],
  reschedule: ['scheduled', 'queued'],
  reprioritise: ['waiting', 'scheduled', 'queued'],
} as const satisfies Record<string, readonly RunState[]>

export type BulkVerb = keyof typeof steerableStates

/**
 * Compiles the filter of a bulk change. An empty filter would mean all runs, which the caller must
 * say; a condition that is undefined, such as an unset variable, is refused.
 */
export function compileBulkFilter(
  verb: BulkVerb,
  filter: RunFilter,
  all: boolean,
): CompiledRunFilter & { readonly states: readonly RunState[] } {
  const compiled = compileRunFilter(filter)
  for (const [name, value] of Object.entries(filter))
    if (value === undefined) refuseOption(name, 'set, or left out', value)
  if (Object.keys(compiled).length === 0 && !all)
    refuseOption('filter', 'at least one condition, or empty with `all: true`', 'none')
  const possible: readonly RunState[] = steerableStates[verb]
  for (const state of compiled.states ?? [])
    if (!possible.includes(state)) refuseOption('states', `a list of ${possible.join(', ')}`, state)
  return { ...compiled, states: compiled.states ?? possible }
}
