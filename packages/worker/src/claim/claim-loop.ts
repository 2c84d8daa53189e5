/**
 * When to claim and how much. One claim at a time, or two where there is much to do: while the runs of one are
 * started, the other is made. All state of claiming is here; the worker's loop calls `tick`, and tells of
 * hints and of runs that returned.
 */
import { type Clock, type Random, restTogether } from '@punctual/core/clock'
import type { Lane } from '@punctual/core/flow'
import type { ClaimedRun, ClaimResult, WorkStore } from '@punctual/core/ports'
import type { Capacity } from '../run/capacity.ts'
import { claimSize, Demand, Pace, Yielding } from './intake.ts'
import type { LaneList } from './lane-list.ts'
import { QuietLaneClaims } from './quiet-lane-claims.ts'

const SPACING_MS = 5
const BURST = 4
const POLL_MS = 1_000
const POLL_WITH_HINTS_MS = 5_000
const BACKLOG_MAX = 10_000
/**
 * A claim that brought so many is worth a second one beside the next. Before there was one, no more are asked for: the
 * first of a burst start while the others are claimed.
 */
const BULK = 400
/**
 * How long large claims are made one after the other, and not two at once, after lanes that rarely have something had it:
 * there is less in the way of what they have next.
 */
const COMPANY_MS = 1_000
/** What comes more often than this, or more at once, is no rare thing. */
const RARE_MS = 50
const RARE_RUNS = 2

export interface ClaimLoopOptions {
  readonly store: Pick<WorkStore, 'claim'>
  readonly clock: Clock
  readonly random: Random
  readonly lanes: LaneList
  readonly capacity: Capacity
  /** Whether hints arrive: then polling is slow. */
  readonly hintsArrive: () => boolean
  readonly sessionId: () => string | null
  /** How many outcomes are not yet stored. */
  readonly backlog: () => number
  /** The session is no longer valid: a new one is wanted. */
  readonly onSessionLost: () => Promise<void>
  readonly onClaimed: (runs: readonly ClaimedRun[], askedAtMs: number) => Promise<void>
  /** Runs that may not start while another run of their job goes on. */
  readonly onParked: (runIds: readonly string[]) => void
}

type Claimed = Pick<ClaimResult, 'runs' | 'more' | 'nextDueInMs'>

export class ClaimLoop {
  readonly #options: ClaimLoopOptions
  readonly #pace: Pace
  readonly #yielding = new Yielding()
  readonly #demand = new Demand()
  readonly #quietLanes: QuietLaneClaims
  /** When the hint that came is to be followed; null when none came since the last claim. */
  #followAtMs: number | null = null
  /** When the next run is due that the last claim saw. */
  #dueAtMs = Number.NEGATIVE_INFINITY
  /** More may be due than was asked for. */
  #hungry = false
  /** How many runs were asked for and have not come. */
  #asked = 0
  /** The last claim brought many, and all that it asked for. */
  #bulk = false
  /** The claim after the one that is awaited. */
  #following: Promise<Claimed[]> | null = null
  #nextClaimMs = Number.NEGATIVE_INFINITY
  #postponed = false
  /** No claim is to be made beside the one that is under way. */
  #alone = false
  #companyUntilMs = Number.NEGATIVE_INFINITY
  /** When a small claim beside the large ones brought something. */
  #gaveAsideMs = Number.NEGATIVE_INFINITY

  constructor(options: ClaimLoopOptions) {
    this.#options = options
    this.#pace = new Pace(options.clock.monotonicMs())
    const { clock, random } = options
    this.#quietLanes = new QuietLaneClaims({ clock, random, take: () => this.#takeAside() })
  }

  /** Whether a claim is under way that nobody waits for: its leases are not known here yet. */
  get underWay(): boolean {
    return this.#following !== null || this.#quietLanes.underWay
  }

  /** Does this while no claim is under way, and none begins; not at all when one is. */
  async between(work: () => Promise<void>): Promise<void> {
    if (this.underWay) return
    this.#alone = true
    await work()
  }

  /** Whether another claim is worth it now: something was left, and there is room for it. */
  get wanted(): boolean {
    return this.#hungry && this.#limit() > 0
  }

  /** Whether the last turn made no claim because it was too early for one. */
  get postponed(): boolean {
    return this.#postponed
  }

  /** A run has returned. */
  returned(): void {
    this.#pace.note()
  }

  /** Something may be due; `lanes`: where, if that is known. */
  hinted(lanes: readonly number[] | null = null): void {
    const { clock, random } = this.#options
    const little = lanes?.some((id) => this.#demand.expected(id) !== null) ?? true
    if (this.#bulk && little && !this.#alone) this.#quietLanes.hinted()
    this.#followAtMs ??= clock.monotonicMs() + this.#yielding.delayMs(random.fraction())
    this.#hungry = true
  }

  #limit(): number {
    const { backlog, clock, capacity } = this.#options
    if (backlog() > BACKLOG_MAX) return 0
    const { free, running, buffered, exact } = capacity
    if (exact) return claimSize(free, 0, buffered + this.#asked)
    const ahead = this.#pace.ahead(clock.monotonicMs(), running)
    const size = claimSize(free, ahead, buffered + this.#asked)
    return this.#bulk ? size : Math.min(size, BULK)
  }

  /** Claims when it is time to; returns how long to sleep. `alone`: no second claim beside it. */
  async tick(alone: boolean): Promise<number> {
    this.#postponed = false
    this.#alone = alone
    this.#quietLanes.check()
    let claiming = this.#following
    this.#following = null
    if (!claiming) {
      const limit = this.#limit()
      if (limit === 0) {
        this.#hungry = true
        return this.#idleMs()
      }
      const waitMs = this.#waitMs()
      this.#postponed = waitMs > 0
      if (this.#postponed) return waitMs
      this.#space()
      this.#hungry = false
      claiming = this.#ask(limit)
    }
    const inCompany = this.#options.clock.monotonicMs() < this.#companyUntilMs
    if (this.#bulk && !alone && !inCompany) this.#followUp()
    const hinted = this.#followAtMs !== null
    this.#followAtMs = null
    return this.#judge(await claiming, hinted)
  }

  #idleMs(): number {
    const { clock, hintsArrive } = this.#options
    return restTogether(clock.monotonicMs(), hintsArrive() ? POLL_WITH_HINTS_MS : POLL_MS)
  }

  #followUp(): void {
    const limit = this.#limit()
    if (limit < BULK) return
    this.#following = this.#ask(limit)
    this.#following.catch(() => undefined)
  }

  /** What the answer says of when to come back. */
  #judge(claims: readonly Claimed[], hinted: boolean): number {
    this.#bulk = claims.some((fence) => fence.more && fence.runs.length >= BULK)
    if (claims.some((fence) => fence.runs.length > 0)) this.#yielding.won()
    else if (hinted) this.#yielding.lost()
    if (claims.some((fence) => fence.more)) {
      this.#dueAtMs = Number.NEGATIVE_INFINITY
      this.#hungry = true
      return this.#limit() > 0 ? 0 : this.#idleMs()
    }
    const inMs = Math.min(...claims.map((fence) => fence.nextDueInMs ?? Number.POSITIVE_INFINITY))
    this.#dueAtMs = this.#options.clock.monotonicMs() + inMs
    return Math.min(this.#idleMs(), inMs)
  }

  /** How long to wait with the next claim: for the spacing, and after a hint for others to be first. */
  #waitMs(): number {
    const nowMs = this.#options.clock.monotonicMs()
    const spacingMs = this.#nextClaimMs - nowMs
    if (this.#followAtMs === null) return spacingMs
    return Math.max(spacingMs, Math.min(this.#followAtMs, this.#dueAtMs) - nowMs)
  }

  /** On average one claim in 5 ms, with a small random offset; a few may follow each other at once. */
  #space(): void {
    const { clock, random } = this.#options
    const spacingMs = SPACING_MS * (0.8 + 0.4 * random.fraction())
    const earliestMs = clock.monotonicMs() - BURST * SPACING_MS
    this.#nextClaimMs = Math.max(this.#nextClaimMs, earliestMs) + spacingMs
  }

  async #ask(limit: number): Promise<Claimed[]> {
    this.#asked += limit
    try {
      return await this.#claim(limit)
    } finally {
      this.#asked -= limit
    }
  }

  /** Claims from all queues without a cap at once, and from each capped one by itself. */
  async #claim(limit: number): Promise<Claimed[]> {
    const { lanes, capacity, hintsArrive } = this.#options
    const groups = new Map<string | null, Lane[]>()
    const all = await lanes.current(hintsArrive())
    const aside = new Set(this.#alone ? [] : this.#little(all))
    if (aside.size > 0) this.#quietLanes.besideAnother()
    for (const lane of all) {
      if (aside.has(lane)) continue
      const group = capacity.room(lane.queue) === null ? null : lane.queue
      const of = groups.get(group)
      if (of) of.push(lane)
      else groups.set(group, [lane])
    }
    const results: Claimed[] = []
    let left = limit
    for (const [queue, of] of groups) {
      const room = queue === null ? left : Math.min(left, capacity.room(queue) ?? left)
      if (room < 1) {
        this.#hungry = true
        continue
      }
      const result = await this.#claimFrom(of, room, this.#bulk)
      left -= result.runs.length
      results.push(result)
    }
    return results
  }

  async #claimFrom(lanes: readonly Lane[], limit: number, bulk: boolean): Promise<Claimed> {
    const { store, random, clock, onSessionLost, onClaimed, onParked } = this.#options
    const sessionId = this.#options.sessionId()
    if (!sessionId) return { runs: [], more: true, nextDueInMs: null }
    const askedAtMs = clock.monotonicMs()
    const weights = this.#demand.weights(lanes)
    const request = { sessionId, fence: random.token(), limit, lanes, weights, bulk }
    const result = await store.claim(request)
    if (!result.sessionAlive) {
      await onSessionLost()
      return { ...result, more: true }
    }
    this.#demand.note(lanes, limit, result.gave)
    if (result.runs.length > 0) await onClaimed(result.runs, askedAtMs)
    if (result.parked.length > 0) onParked(result.parked)
    return result
  }

  /**
   * Lanes that are expected to have little, and that nothing of a higher priority waits before; none as long as no
   * claim is large.
   */
  #little(lanes: readonly Lane[]): readonly Lane[] {
    const { capacity } = this.#options
    if (!this.#bulk || capacity.exact) return []
    const busy = lanes.filter(({ id }) => this.#demand.expected(id) === null)
    if (busy.length === 0) return []
    const above = Math.max(...busy.map(({ priority }) => priority))
    return lanes.filter(
      ({ id, priority, queue }) =>
        priority >= above && this.#demand.expected(id) !== null && capacity.room(queue) === null,
    )
  }

  #takeAside(): Promise<Claimed> | null {
    const lanes = this.#little(this.#options.lanes.known)
    if (lanes.length === 0) return null
    const limit = lanes.reduce((sum, { id }) => sum + (this.#demand.expected(id) ?? 0), 0)
    return this.#claimFrom(lanes, limit, false).then((claimed) => {
      if (claimed.runs.length > 0) this.#gaveAside(claimed.runs.length)
      return claimed
    })
  }

  #gaveAside(runs: number): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (runs <= RARE_RUNS && nowMs - this.#gaveAsideMs >= RARE_MS)
      this.#companyUntilMs = nowMs + COMPANY_MS
    this.#gaveAsideMs = nowMs
  }

  /** Resolves when no claim is under way. */
  async idle(): Promise<void> {
    await this.#quietLanes.idle()
    await this.#following?.catch(() => undefined)
  }
}
