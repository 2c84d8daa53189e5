/**
 * Decodes the answer of a claim. Its lists are texts: numbers and ids joined by commas, payloads and
 * extras by U+001E. As rows of the protocol the client needs three times as long to read them: 2.9
 * instead of 1.0 us a run, of about 20 us that a run costs in all.
 */
import { decodeExtra, type RunExtra } from './run-extra.ts'
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

/**
 * The definitions that the claim itself returns: today's runs with payloads of common size. Others
 * are added as they are read.
 */
export class TakenDefinitions {
  readonly #timeoutsMs: readonly string[]
  readonly #maxAttempts: readonly string[]
  readonly #duesMs: readonly string[]
  readonly #payloads: readonly string[]
  readonly #extras: readonly string[] | null
  /** The place of each run in the lists; null when they are complete and in the claim's order. */
  readonly #places: ReadonlyMap<string, number> | null
  readonly #others = new Map<string, RunDefinition>()
  /** The length of the payloads that the claim itself returned. */
  readonly length: number

  constructor(answer: ClaimAnswer, runIds: readonly string[]) {
    this.#timeoutsMs = listOf(answer.timeoutsMs)
    this.#maxAttempts = listOf(answer.maxAttempts)
    this.#duesMs = listOf(answer.duesMs)
    this.length = answer.payloads?.length ?? 0
    this.#payloads = answer.payloads?.split(SEPARATOR) ?? []
    // Only separators means that every extra is empty.
    const extras = answer.extras ?? ''
    this.#extras = extras.length >= this.#duesMs.length ? extras.split(SEPARATOR) : null
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

  /** The definition of the run at a place of the claim; undefined when there is none. */
  at(id: string, claimPlace: number): RunDefinition | undefined {
    const place = this.#places === null ? claimPlace : this.#places.get(id)
    if (place === undefined) return this.#others.get(id)
    const extra = decodeExtra(this.#extras?.[place])
    return {
      timeoutMs: Number(this.#timeoutsMs[place]),
      maxAttempts: Number(this.#maxAttempts[place]),
      dueMs: Number(this.#duesMs[place]),
      payload: this.#payloads[place] ?? '',
      jobId: extra.jobId,
      slotMs: extra.slotMs,
      missedFromMs: extra.missedFromMs,
      policy: extra.policy,
      trace: extra.trace,
    }
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
