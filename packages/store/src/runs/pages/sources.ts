/**
 * Where runs that a filter means are looked for: the fewest places, each by an index in the order of the page. Every run
 * that matches is in one of them. Names are those of runs/page-runs.sql.
 */
import {
  type CompiledCountBy,
  isFinal,
  type LiveState,
  type RunOrder,
  type RunState,
  runStates,
} from '@punctual/core/run'
import type { PageFilterInStore } from '../filter-values.ts'

const PLACES: Readonly<Record<LiveState, readonly string[]>> = {
  waiting: ['parked'],
  scheduled: ['later', 'queue'],
  queued: ['queue'],
  running: ['leases'],
  cancelling: ['leases'],
}

/** `alone`: whether runs of other tenants are few beside those of this one. */
export function sourcesOf(
  filter: PageFilterInStore,
  order: RunOrder,
  alone: boolean,
): readonly string[] {
  if (order === 'ended') return filter.notRetried ? ['open-ended'] : ['ended']
  if (filter.ids) return ['ids']
  if (filter.key !== undefined) return ['key']
  if (filter.fingerprint !== undefined) return ['letters']
  if (filter.notRetried) return ['open']
  const states: readonly RunState[] = filter.states ?? runStates
  const ended = states.filter(isFinal)
  const live = states.filter((state) => !isFinal(state)) as LiveState[]
  const places = [...new Set(live.flatMap((state) => PLACES[state]))]
  if (ended.length === 0) return places
  if (filter.jobId !== undefined) return ['job']
  if (!ended.includes('succeeded')) return [...places, 'failed']
  return alone && filter.queue === undefined && filter.handler === undefined ? ['runs'] : ['lanes']
}

/** Sources that name runs and tell nothing of what became of them. */
const BARE: readonly string[] = ['runs', 'lanes', 'job', 'key', 'ids']
/** Sources that tell how a run ended, and of a page too little. */
const LETTERS: readonly string[] = ['letters', 'open', 'open-ended']

export interface Reads {
  /** Whether the definitions of runs have to be read: their labels, their key, when they were due. */
  readonly runs: boolean
  /** Where to read what became of them: only where a state can be that matches. */
  readonly places: readonly string[]
}

/** What has to be read of the runs that are looked at, beside what their source tells. */
export function readsOf(
  filter: PageFilterInStore,
  [source]: readonly string[],
  by: CompiledCountBy | null,
): Reads {
  const { states = runStates } = filter
  const isBare = BARE.includes(source as string)
  const ofState = (state: RunState) => (isFinal(state) ? ['ended'] : PLACES[state])
  const ended = LETTERS.includes(source as string) && by === null ? ['ended'] : []
  const places = isBare ? states.flatMap(ofState) : ended
  const asked = by === null || by.by === 'fingerprint' || filter.notRetried || filter.fingerprint
  const letters = asked && states.includes('dead') && !LETTERS.includes(source as string)
  return {
    runs: !isBare && (by === null || asksRuns(filter, by)),
    places: [...new Set([...places, ...(letters ? ['letters'] : [])])],
  }
}

function asksRuns(filter: PageFilterInStore, { by }: CompiledCountBy): boolean {
  const { jobId, labels, key, keyPrefix, dueFromMs, dueToMs, createdFromMs, createdToMs } = filter
  const asked = [jobId, labels, key, keyPrefix, dueFromMs, dueToMs, createdFromMs, createdToMs]
  return asked.some((it) => it !== undefined) || ['job', 'label', 'day'].includes(by)
}
