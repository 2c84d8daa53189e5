/** Which runs people mean: one filter for listing them and for steering many at once. */

import { checkName, checkText } from '../check/check-value.ts'
import type { Instant } from '../check/instant.ts'
import { instantOf } from '../check/instant.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import { compileLabels } from './labels.ts'
import { isRunId } from './run-id.ts'
import { type RunState, runStates } from './run-state.ts'

/** A stretch of time; either end may be left open. */
export interface TimeRange {
  /** From this moment on. */
  from?: Instant
  /** Until before this moment. */
  to?: Instant
}

/** A run matches when all that is said here is true of it. */
export interface RunFilter {
  /** Any of these; an empty list stands for all. */
  states?: readonly RunState[]
  /** Of this handler. */
  handler?: string
  /** In this queue. */
  queue?: string
  /** The name or the id of a job. */
  job?: string
  /** It has all of these, with these values. */
  labels?: Readonly<Record<string, string>>
  /** Its key begins with this. */
  keyPrefix?: string
  /** Its `dueAt` is in this range. */
  due?: TimeRange
  /** It was accepted in this range. */
  created?: TimeRange
  /** One of these, up to 10,000; an empty list stands for none. */
  ids?: readonly string[]
}

/** The same, checked; what was not said is left out. */
export interface CompiledRunFilter {
  readonly states?: readonly RunState[]
  readonly handler?: string
  readonly queue?: string
  /** As it was given: whoever uses the filter looks its id up. */
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
      refuseOption('filter', `made of ${[...KNOWN].join(', ')}`, name.slice(0, 80))
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
    if (!runStates.includes(state)) refuseOption('states', `of ${runStates.join(', ')}`, state)
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

/** What a change applies to. */
export const steerableStates = {
  cancel: ['waiting', 'scheduled', 'queued', 'running', 'cancelling'],
  promote: ['scheduled'],
  reschedule: ['scheduled', 'queued'],
  reprioritise: ['waiting', 'scheduled', 'queued'],
} as const satisfies Record<string, readonly RunState[]>

export type BulkVerb = keyof typeof steerableStates

/**
 * The filter of a change of many runs. One that says nothing would mean all of them, which has to be said; one that
 * names something that is not there, such as a variable that nobody has set, is refused.
 */
export function compileBulkFilter(
  verb: BulkVerb,
  filter: RunFilter,
  all: boolean,
): CompiledRunFilter & { readonly states: readonly RunState[] } {
  const compiled = compileRunFilter(filter)
  for (const [name, value] of Object.entries(filter))
    if (value === undefined) refuseOption(name, 'given, or left out', value)
  if (Object.keys(compiled).length === 0 && !all)
    refuseOption('filter', 'at least one condition, or `all: true` beside it', 'none')
  const possible: readonly RunState[] = steerableStates[verb]
  for (const state of compiled.states ?? [])
    if (!possible.includes(state)) refuseOption('states', `of ${possible.join(', ')}`, state)
  return { ...compiled, states: compiled.states ?? possible }
}
