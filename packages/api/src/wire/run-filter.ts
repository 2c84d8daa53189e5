/** Filters of runs: in the query of lists and counts, in the body of bulk changes. */
import { limits } from '@punctual/core/errors'
import { type RunFilter, type RunPageFilter, runStates } from '@punctual/core/run'
import { parsePeriod } from '@punctual/core/schedule'
import Type, { type Static } from 'typebox'
import { refuse } from './other-members.ts'
import { exactly, instant, labelOf, labels, name, oneOf, text } from './schemas.ts'
import { rangeOf } from './time-range.ts'

const state = Type.Optional(
  Type.Array(oneOf(runStates), { maxItems: 20, description: 'Any of these.' }),
)

/** The members that every filter has. */
const common = {
  state,
  job: Type.Optional(text(limits.nameLength, { description: 'The name or the id of a job.' })),
  queue: Type.Optional(name),
  handler: Type.Optional(name),
  key_prefix: Type.Optional(text(limits.keyLength, { description: 'The prefix of their key.' })),
  created_from: Type.Optional(instant),
  created_to: Type.Optional(instant),
  due_from: Type.Optional(instant),
  due_to: Type.Optional(instant),
}

/** Members that also search finished runs. */
const past = {
  key: Type.Optional(text(limits.keyLength)),
  fingerprint: Type.Optional(text(300, { description: 'The fingerprint of their error.' })),
  finished_from: Type.Optional(instant),
  finished_to: Type.Optional(instant),
}

/** The filter in a query string. */
export const runQuery = {
  ...common,
  ...past,
  label: Type.Optional(
    Type.Array(text(400), {
      maxItems: limits.labelsPerRun,
      description: '`name:value`; may be repeated, and a run must have all of them.',
    }),
  ),
  running_longer_than: Type.Optional(
    text(64, { description: 'Seconds, or a duration such as `1h`.', examples: ['1h'] }),
  ),
  not_retried: Type.Optional(
    Type.Boolean({ description: 'Only dead runs that were neither replayed nor discarded.' }),
  ),
}

const ids = Type.Optional(Type.Array(text(64), { minItems: 1, maxItems: limits.batchSize }))

/** The filter in the body of a bulk change. */
export const steerFilter = exactly({ ...common, labels: Type.Optional(labels), ids })
export const retryFilter = exactly({ ...common, ...past, labels: Type.Optional(labels), ids })

const queryFilter = exactly(runQuery)
type Query = Static<typeof queryFilter>
type SteerFilter = Static<typeof steerFilter>
type RetryFilter = Static<typeof retryFilter>

function durationMsOf(field: string, duration: string): number {
  if (/^\d+(\.\d+)?$/.test(duration)) return Math.round(Number(duration) * 1_000)
  try {
    const { months, days, elapsedMs } = parsePeriod(duration)
    if (months === 0) return days * 86_400_000 + Math.round(elapsedMs)
  } catch {
    // The error below names this field.
  }
  return refuse(field, `${field} must be seconds, or a duration of a fixed length such as 1h.`)
}

function commonOf(given: Query | SteerFilter | RetryFilter): RunFilter {
  const { state: states, job, queue, handler, key_prefix: keyPrefix } = given
  const created = rangeOf(given, 'created')
  const due = rangeOf(given, 'due')
  return {
    ...(states !== undefined && { states }),
    ...(job !== undefined && { job }),
    ...(queue !== undefined && { queue }),
    ...(handler !== undefined && { handler }),
    ...(keyPrefix !== undefined && { keyPrefix }),
    ...(created !== undefined && { created }),
    ...(due !== undefined && { due }),
  }
}

function pastOf(given: Query | RetryFilter): RunPageFilter {
  const { key, fingerprint } = given
  const finished = rangeOf(given, 'finished')
  return {
    ...(key !== undefined && { key }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(finished !== undefined && { finished }),
  }
}

export function queryFilterOf(query: Query): RunPageFilter {
  const { label, running_longer_than: longer, not_retried: notRetried } = query
  return {
    ...commonOf(query),
    ...pastOf(query),
    ...(label !== undefined && { labels: Object.assign({}, ...label.map(labelOf)) }),
    ...(longer !== undefined && { runningOverMs: durationMsOf('running_longer_than', longer) }),
    ...(notRetried === true && { notRetried }),
  }
}

export function steerFilterOf(given: SteerFilter = {}): RunFilter {
  const { labels: wanted, ids: those } = given
  return {
    ...commonOf(given),
    ...(wanted !== undefined && { labels: wanted }),
    ...(those !== undefined && { ids: those }),
  }
}

export function retryFilterOf(given: RetryFilter = {}): RunPageFilter {
  return { ...steerFilterOf(given), ...pastOf(given) }
}
