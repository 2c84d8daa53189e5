/** Which runs are meant: in an address for lists and counts, in a body for changes of many. */
import { limits } from '@punctual/core/errors'
import { type RunFilter, type RunPageFilter, runStates } from '@punctual/core/run'
import { parsePeriod } from '@punctual/core/schedule'
import Type, { type Static } from 'typebox'
import { refuse } from './run-fields.ts'
import { exactly, labelOf, labels, moment, name, oneOf, text } from './schemas.ts'
import { rangeOf } from './time-range.ts'

const state = Type.Optional(
  Type.Array(oneOf(runStates), { maxItems: 20, description: 'Any of these.' }),
)

/** What both have. */
const common = {
  state,
  job: Type.Optional(text(limits.nameLength, { description: 'The name or the id of a job.' })),
  queue: Type.Optional(name),
  handler: Type.Optional(name),
  key_prefix: Type.Optional(text(limits.keyLength, { description: 'What its key begins with.' })),
  created_from: Type.Optional(moment),
  created_to: Type.Optional(moment),
  due_from: Type.Optional(moment),
  due_to: Type.Optional(moment),
}

/** What only the history tells. */
const past = {
  key: Type.Optional(text(limits.keyLength)),
  fingerprint: Type.Optional(text(300, { description: 'What they died of.' })),
  finished_from: Type.Optional(moment),
  finished_to: Type.Optional(moment),
}

/** In an address. */
export const runQuery = {
  ...common,
  ...past,
  label: Type.Optional(
    Type.Array(text(400), {
      maxItems: limits.labelsPerRun,
      description: '`name:value`; several may be given, and all of them must match.',
    }),
  ),
  running_longer_than: Type.Optional(
    text(64, { description: 'Seconds, or a duration such as `1h`.', examples: ['1h'] }),
  ),
  not_retried: Type.Optional(
    Type.Boolean({ description: 'They are dead, and were neither replayed nor discarded.' }),
  ),
}

const ids = Type.Optional(Type.Array(text(64), { minItems: 1, maxItems: limits.batchSize }))

/** In the body of a change of many. */
export const steerFilter = exactly({ ...common, labels: Type.Optional(labels), ids })
export const retryFilter = exactly({ ...common, ...past, labels: Type.Optional(labels), ids })

const asked = exactly(runQuery)
type Query = Static<typeof asked>
type SteerFilter = Static<typeof steerFilter>
type RetryFilter = Static<typeof retryFilter>

function durationMsOf(field: string, duration: string): number {
  if (/^\d+(\.\d+)?$/.test(duration)) return Math.round(Number(duration) * 1_000)
  try {
    const { months, days, elapsedMs } = parsePeriod(duration)
    if (months === 0) return days * 86_400_000 + Math.round(elapsedMs)
  } catch {
    // What is wrong with it is told in the words of this field.
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
