/**
 * Claims around stored values that PostgreSQL cannot compute with: one such value must not fail the
 * claim of all lanes. The lanes of a claim that failed are halved until the lane at fault is alone,
 * and its claim is made smaller until the run at fault is. That run goes back to the queue, due a
 * minute later, and is reported. The lane is claimed separately for a while, so that the others
 * cost nothing more.
 */
import type { ClaimRequest, ClaimResult } from '@punctual/core/ports'
import type { Database } from '../connection/database.ts'
import { isDataFault } from '../connection/faults.ts'
import { setAsideHead } from './statements.gen.ts'

const ASIDE_MS = 60_000
const REMEMBERED_MS = 60_000
/** Runs set aside by one claim; the next claim continues. */
const ASIDE_MAX = 10

const NOTHING: ClaimResult = {
  sessionAlive: true,
  runs: [],
  more: false,
  nextDueInMs: null,
  parked: [],
  gave: [],
}

type Claim = (request: ClaimRequest) => Promise<ClaimResult>

export class FaultClaims {
  readonly #database: Database
  readonly #claim: Claim
  /** Until when a lane at fault is claimed separately, by its id. */
  readonly #untilMs = new Map<number, number>()

  /** `claim` takes runs of all lanes of a request in one statement. */
  constructor(database: Database, claim: Claim) {
    this.#database = database
    this.#claim = claim
  }

  async claim(request: ClaimRequest): Promise<ClaimResult> {
    const faulty = this.#remembered(request)
    if (faulty.size > 0) return new Round(this.#parts, request, faulty).run()
    try {
      return await this.#claim(request)
    } catch (error) {
      if (!isDataFault(error)) throw error
      return new Round(this.#parts, request, faulty).run()
    }
  }

  get #parts(): RoundParts {
    return {
      database: this.#database,
      claim: this.#claim,
      remember: (lane) => this.#untilMs.set(lane, this.#nowMs() + REMEMBERED_MS),
    }
  }

  #nowMs(): number {
    return this.#database.localClock.monotonicMs()
  }

  #remembered({ lanes }: ClaimRequest): ReadonlySet<number> {
    const faulty = new Set<number>()
    if (this.#untilMs.size === 0) return faulty
    for (const { id } of lanes) {
      const untilMs = this.#untilMs.get(id)
      if (untilMs === undefined) continue
      if (untilMs > this.#nowMs()) faulty.add(id)
      else this.#untilMs.delete(id)
    }
    return faulty
  }
}

interface RoundParts {
  readonly database: Database
  readonly claim: Claim
  readonly remember: (lane: number) => void
}

/** One request, answered by several claims. */
class Round {
  readonly #parts: RoundParts
  readonly #request: ClaimRequest
  readonly #faulty: ReadonlySet<number>
  #fence: bigint
  #left: number
  #aside = 0
  #sum = NOTHING

  constructor(parts: RoundParts, request: ClaimRequest, faulty: ReadonlySet<number>) {
    this.#parts = parts
    this.#request = request
    this.#faulty = faulty
    this.#fence = BigInt(request.fence)
    this.#left = request.limit
  }

  async run(): Promise<ClaimResult> {
    const all = this.#request.lanes.map((_, place) => place)
    const isFaulty = (place: number) => this.#faulty.has(this.#request.lanes[place]?.id ?? 0)
    const sound = all.filter((place) => !isFaulty(place))
    if (sound.length > 0) await this.#claimLanes(sound)
    for (const place of all) if (isFaulty(place)) await this.#claimLane(place)
    return this.#sum
  }

  /** `places`: of the lanes in the request. */
  async #claimLanes(places: readonly number[]): Promise<void> {
    const [first] = places
    if (first === undefined) return
    if (await this.#take(places, this.#left)) return
    if (places.length === 1) return this.#claimLane(first)
    const half = Math.ceil(places.length / 2)
    await this.#claimLanes(places.slice(0, half))
    await this.#claimLanes(places.slice(half))
  }

  /** Claims fewer runs until the claim succeeds, or one run is at fault. */
  async #claimLane(place: number): Promise<void> {
    for (let limit = this.#left; limit > 0; limit = Math.min(Math.ceil(limit / 2), this.#left)) {
      if (await this.#take([place], limit)) return
      this.#sum = { ...this.#sum, more: true }
      if (limit === 1 && !(await this.#setAside(place))) return
    }
  }

  /** Returns false when no further run is to be set aside now. */
  async #setAside(place: number): Promise<boolean> {
    const lane = this.#request.lanes[place]
    if (lane === undefined || this.#aside >= ASIDE_MAX) return false
    this.#aside++
    const { claim } = this.#parts.database
    const [run] = await claim.runPinned(setAsideHead(lane.id, ASIDE_MS))
    return run !== undefined
  }

  /** Returns false when a stored value failed the claim; then nothing was taken. */
  async #take(places: readonly number[], limit: number): Promise<boolean> {
    if (limit < 1 || !this.#sum.sessionAlive) return true
    const { lanes, weights } = this.#request
    const chosen = <T>(list: readonly T[]) => list.filter((_, place) => places.includes(place))
    const request = {
      ...{ ...this.#request, fence: String(this.#fence), limit, lanes: chosen(lanes) },
      ...(weights && { weights: chosen(weights) }),
    }
    // Each claim numbers its fences from its own first one.
    this.#fence += BigInt(limit) + 1n
    try {
      this.#add(await this.#parts.claim(request))
      return true
    } catch (error) {
      if (!isDataFault(error)) throw error
      const [only] = request.lanes
      if (places.length === 1 && only) this.#parts.remember(only.id)
      if (limit === 1) this.#parts.database.fault('claim', error)
      return false
    }
  }

  #add(result: ClaimResult): void {
    const sum = this.#sum
    const dueInMs = [sum.nextDueInMs, result.nextDueInMs].filter((ms) => ms !== null)
    this.#left -= result.runs.length
    this.#sum = {
      sessionAlive: sum.sessionAlive && result.sessionAlive,
      runs: [...sum.runs, ...result.runs],
      more: sum.more || result.more,
      nextDueInMs: dueInMs.length > 0 ? Math.min(...dueInMs) : null,
      parked: [...sum.parked, ...result.parked],
      gave: [...sum.gave, ...result.gave],
    }
  }
}
