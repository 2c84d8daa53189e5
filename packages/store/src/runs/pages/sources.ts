/**
 * Chooses where to search for the runs of a filter: the fewest places, each by an index in the
 * order of the page. Every matching run is in one of them. The names are those of
 * runs/page-runs.sql.
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
import type { Surroundings } from './surroundings.ts'

const PLACES: Readonly<Record<LiveState, readonly string[]>> = {
  waiting: ['parked'],
  scheduled: ['later', 'queue'],
  queued: ['queue'],
  running: ['leases'],
  cancelling: ['leases'],
  awaiting: ['leases'],
}

export function sourcesOf(
  filter: PageFilterInStore,
  order: RunOrder,
  { alone, queue, leases }: Surroundings,
): readonly string[] {
  if (order === 'ended') return filter.notRetried ? ['open-ended'] : ['ended']
  if (filter.ids) return ['ids']
  if (filter.key !== undefined) return ['key']
  if (filter.fingerprint !== undefined) return ['letters']
  if (filter.notRetried) return ['open']
  const states: readonly RunState[] = filter.states ?? runStates
  const ended = states.filter(isFinal)
  const live = states.filter((state) => !isFinal(state))
  const reads: Readonly<Record<string, string>> = { queue, leases }
  const places = [
    ...new Set(live.flatMap((state) => PLACES[state]).map((place) => reads[place] ?? place)),
  ]
  // The lanes have every run of the tenant: no other source is needed then.
  if (ended.length === 0) return places.includes('lanes') ? ['lanes'] : places
  if (filter.jobId !== undefined) return ['job']
  if (!ended.includes('succeeded'))
    return places.includes('lanes') ? ['lanes'] : [...places, 'failed']
  return alone && filter.queue === undefined && filter.handler === undefined ? ['runs'] : ['lanes']
}

/** Sources that list runs without their state. */
const BARE: readonly string[] = ['runs', 'lanes', 'job', 'key', 'ids']
/** Sources that show how a run ended, but too little for a page. */
const DEAD_LETTERS: readonly string[] = ['letters', 'open', 'open-ended']

export interface Reads {
  /** Whether to read the definitions of runs: their labels, their key, their due times. */
  readonly runs: boolean
  /** Where to read the states of runs: only places of states that match. */
  readonly places: readonly string[]
}

/** Selects what to read of the examined runs beyond the columns of their source. */
export function readsOf(
  filter: PageFilterInStore,
  [source = '']: readonly string[],
  by: CompiledCountBy | null,
): Reads {
  const { states = runStates } = filter
  const isBare = BARE.includes(source)
  const ofState = (state: RunState) => (isFinal(state) ? ['ended'] : PLACES[state])
  const ended = DEAD_LETTERS.includes(source) && by === null ? ['ended'] : []
  const places = isBare ? states.flatMap(ofState) : ended
  const shown = by === null || by.by === 'fingerprint' || filter.notRetried || filter.fingerprint
  const letters = shown && states.includes('dead') && !DEAD_LETTERS.includes(source)
  return {
    runs: !isBare && (by === null || needsRuns(filter, by)),
    places: [...new Set([...places, ...(letters ? ['letters'] : [])])],
  }
}

function needsRuns(filter: PageFilterInStore, { by }: CompiledCountBy): boolean {
  const { jobId, labels, key, keyPrefix, dueFromMs, dueToMs, createdFromMs, createdToMs } = filter
  const given = [jobId, labels, key, keyPrefix, dueFromMs, dueToMs, createdFromMs, createdToMs]
  return given.some((value) => value !== undefined) || ['job', 'label', 'day'].includes(by)
}
