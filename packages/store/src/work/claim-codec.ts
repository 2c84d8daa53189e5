/**
 * Decodes the answer of a claim. Its lists are texts: numbers and ids joined by commas, payloads and
 * extras by U+001E. As rows of the protocol the client needs three times as long to read them: 2.9
 * instead of 1.0 us a run, of about 20 us that a run costs in all.
 */
import { invariant } from '@punctual/core/errors'
import { decodeExtra, NO_EXTRA, type RunExtra } from './run-extra.ts'
import type { ClaimRunsRow } from './statements.gen.ts'

type Text = string | null

/** What both forms of the claim answer: queries/parts/claim/answer.sql. */
export type ClaimAnswer = Omit<ClaimRunsRow, 'controlled'>

/** A lane that gave runs. */
export interface GivenLane {
  readonly lane: number
  readonly runs: number
  readonly lastPos: string
  /** Whether it gave all that it could: it may have more. */
  readonly full: boolean
}

/** What a run is to do, before its policy is read. */
export interface RunDefinition extends RunExtra {
  readonly timeoutMs: number
  readonly maxAttempts: number
  readonly dueMs: number
  readonly payload: string
}

/** Traits, crashes and attempt of a run. */
export interface RunMarks {
  readonly traits: number
  readonly crashes: number
  readonly attempt: number
}

/** Separates joined texts: JSON and validated texts cannot contain it. */
const SEPARATOR = '\u001e'
const UNMARKED: RunMarks = { traits: 0, crashes: 0, attempt: 0 }

export function listOf(joined: Text): string[] {
  return joined ? joined.split(',') : []
}

export function lanesOf(joined: Text): Set<number> {
  return new Set(listOf(joined).map(Number))
}

export function givenLanes(answer: ClaimAnswer): GivenLane[] {
  const runs = listOf(answer.givenRuns)
  const lastPositions = listOf(answer.givenLastPos)
  const shares = listOf(answer.givenShares)
  return listOf(answer.givenLanes).map((lane, i) => ({
    lane: Number(lane),
    runs: Number(runs[i]),
    lastPos: lastPositions[i] ?? '0',
    full: Number(runs[i]) >= Number(shares[i]),
  }))
}

/** The runs of a claim: their ids, lanes and marks, by their place in the answer. */
export class TakenRuns {
  readonly ids: readonly string[]
  readonly #lanes: readonly string[] | null
  readonly #lane: number
  readonly #marks: readonly string[] | null

  constructor(answer: ClaimAnswer, given: readonly GivenLane[]) {
    this.ids = listOf(answer.runIds)
    // Runs of one lane are the usual case.
    this.#lanes = given.length > 1 ? listOf(answer.lanes) : null
    this.#lane = given[0]?.lane ?? 0
    this.#marks = answer.marks === null ? null : answer.marks.split(',')
  }

  laneAt(place: number): number {
    return this.#lanes ? Number(this.#lanes[place]) : this.#lane
  }

  marksAt(place: number): RunMarks {
    const marks = this.#marks?.[place]
    if (marks === undefined) return UNMARKED
    const [traits, crashes, attempt] = marks.split('.')
    return { traits: Number(traits), crashes: Number(crashes), attempt: Number(attempt) }
  }
}

/** A list in an answer, split when it is first read: most runs end before their timeout is needed. */
class LazyList {
  #joined: Text
  #values: readonly string[] | undefined

  constructor(joined: Text) {
    this.#joined = joined
  }

  numberAt(place: number): number {
    if (!this.#values) {
      this.#values = listOf(this.#joined)
      this.#joined = null
    }
    return Number(this.#values[place])
  }
}

/**
 * The definitions that the claim itself returns: today's runs with payloads of common size. Others
 * are added as they are read.
 */
export class TakenDefinitions {
  readonly #timeoutsMs: LazyList
  readonly #maxAttempts: LazyList
  readonly #duesMs: LazyList
  readonly #payloads: readonly string[]
  /** Decoded when they are first read; null when every extra is empty. */
  readonly #extras: (string | RunExtra)[] | null
  /** The place of each run in the lists; null when they are complete and in the claim's order. */
  readonly #places: ReadonlyMap<string, number> | null
  readonly #others = new Map<string, RunDefinition>()
  /** The length of the payloads that the claim itself returned. */
  readonly length: number

  constructor(answer: ClaimAnswer, runIds: readonly string[]) {
    this.#timeoutsMs = new LazyList(answer.timeoutsMs)
    this.#maxAttempts = new LazyList(answer.maxAttempts)
    this.#duesMs = new LazyList(answer.duesMs)
    this.length = answer.payloads?.length ?? 0
    this.#payloads = answer.payloads?.split(SEPARATOR) ?? []
    // Only separators means that every extra is empty.
    const extras = answer.extras ?? ''
    this.#extras = extras.length >= this.#payloads.length ? extras.split(SEPARATOR) : null
    const complete = answer.ids === null && !this.#payloads.includes('')
    this.#places = complete ? null : placesOf(answer.ids ?? runIds, this.#payloads)
  }

  add(id: string, definition: RunDefinition): void {
    this.#others.set(id, definition)
  }

  /** The runs that other statements must read. */
  missing(ids: readonly string[]): readonly string[] {
    const places = this.#places
    return places === null ? [] : ids.filter((id) => !places.has(id))
  }

  /** Whether the definition of a run is known. */
  has(id: string): boolean {
    return this.#places === null || this.#places.has(id) || this.#others.has(id)
  }

  payload(id: string, claimPlace: number): string {
    const place = this.#placeOf(id, claimPlace)
    return place === undefined ? this.#other(id).payload : (this.#payloads[place] ?? '')
  }

  timeoutMs(id: string, claimPlace: number): number {
    const place = this.#placeOf(id, claimPlace)
    return place === undefined ? this.#other(id).timeoutMs : this.#timeoutsMs.numberAt(place)
  }

  maxAttempts(id: string, claimPlace: number): number {
    const place = this.#placeOf(id, claimPlace)
    return place === undefined ? this.#other(id).maxAttempts : this.#maxAttempts.numberAt(place)
  }

  dueMs(id: string, claimPlace: number): number {
    const place = this.#placeOf(id, claimPlace)
    return place === undefined ? this.#other(id).dueMs : this.#duesMs.numberAt(place)
  }

  extra(id: string, claimPlace: number): RunExtra {
    const place = this.#placeOf(id, claimPlace)
    if (place === undefined) return this.#other(id)
    if (this.#extras === null) return NO_EXTRA
    const extra = this.#extras[place]
    if (typeof extra === 'object') return extra
    const decoded = decodeExtra(extra)
    this.#extras[place] = decoded
    return decoded
  }

  /** The place of a run in the lists; undefined when it was read by another statement. */
  #placeOf(id: string, claimPlace: number): number | undefined {
    return this.#places === null ? claimPlace : this.#places.get(id)
  }

  #other(id: string): RunDefinition {
    const definition = this.#others.get(id)
    invariant(definition, `run ${id} is in the queue and has no definition`)
    return definition
  }
}

function placesOf(
  ids: readonly string[],
  payloads: readonly string[],
): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  ids.forEach((id, place) => {
    if (payloads[place]) places.set(id, place)
  })
  return places
}
