/**
 * When to claim and how much. One claim at a time, or two when much is due: while the runs of one
 * claim start, the next one is answered. The worker's loop calls `tick`, and reports hints and runs
 * that have returned.
 */
import { restTogether } from '@punctual/core/clock'
import { claimSize, Pace, Yielding } from './intake.ts'
import { type Claimed, LaneClaims, type LaneClaimsOptions } from './lane-claims.ts'

const SPACING_MS = 5
const BURST = 4
const POLL_MS = 1_000
const POLL_WITH_HINTS_MS = 5_000
const BACKLOG_MAX = 10_000
/**
 * After a claim that yields this many runs, two claims are sent at the same time. Before that, no
 * claim requests more: the first runs of a burst start while the others are claimed.
 */
const BULK = 400

export interface ClaimLoopOptions extends Omit<LaneClaimsOptions, 'onLeftOut'> {
  /** How many outcomes are not yet stored. */
  readonly backlog: () => number
}

export class ClaimLoop {
  readonly #options: ClaimLoopOptions
  readonly #claims: LaneClaims
  readonly #pace: Pace
  readonly #yielding = new Yielding()
  /** When the latest hint is to be followed; null when none arrived since the last claim. */
  #followAtMs: number | null = null
  /** When the next run is due that the last claim saw. */
  #dueAtMs = Number.NEGATIVE_INFINITY
  /** More may be due than was requested. */
  #hungry = false
  /** How many runs were requested by claims that are not answered yet. */
  #requested = 0
  /** The claim that was sent alongside the awaited one: the next turn awaits it. */
  #following: Promise<Claimed[]> | null = null
  #nextClaimMs = Number.NEGATIVE_INFINITY
  #postponed = false

  constructor(options: ClaimLoopOptions) {
    this.#options = options
    this.#pace = new Pace(options.clock.monotonicMs())
    this.#claims = new LaneClaims({
      ...options,
      onLeftOut: () => {
        this.#hungry = true
      },
    })
  }

  /**
   * Whether a claim is in progress that no turn awaits: this worker does not know its leases yet.
   */
  get underWay(): boolean {
    return this.#following !== null || this.#claims.quiet.underWay
  }

  /** Does the work while no claim is in progress, and none begins; skips it when one is. */
  async between(work: () => Promise<void>): Promise<void> {
    if (this.underWay) return
    this.#claims.alone = true
    await work()
  }

  /** Whether another claim is worth it now: more may be due, and there is capacity for it. */
  get wanted(): boolean {
    return this.#hungry && this.#limit() > 0
  }

  /** Whether the last turn sent no claim because it was too early for one. */
  get postponed(): boolean {
    return this.#postponed
  }

  /** A run has returned. */
  returned(): void {
    this.#pace.note()
  }

  /** Runs may be due; `lanes`: where, if that is known. */
  hinted(lanes: readonly number[] | null = null): void {
    const { clock, random } = this.#options
    this.#claims.hinted(lanes)
    this.#followAtMs ??= clock.monotonicMs() + this.#yielding.delayMs(random.fraction())
    this.#hungry = true
  }

  #limit(): number {
    const { backlog, clock, capacity } = this.#options
    if (backlog() > BACKLOG_MAX) return 0
    const { free, running, buffered, exact } = capacity
    if (exact) return claimSize(free, 0, buffered + this.#requested)
    const ahead = this.#pace.ahead(clock.monotonicMs(), running)
    const size = claimSize(free, ahead, buffered + this.#requested)
    return this.#claims.bulk ? size : Math.min(size, BULK)
  }

  /** Claims when it is time to; returns how long to sleep. `alone`: sends no second claim. */
  async tick(alone: boolean): Promise<number> {
    this.#postponed = false
    this.#claims.alone = alone
    this.#claims.quiet.check()
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
      claiming = this.#claim(limit)
    }
    if (this.#claims.bulk && !alone && !this.#claims.quiet.foundRareRun) this.#followUp()
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
    this.#following = this.#claim(limit)
    this.#following.catch(() => undefined)
  }

  /** Learns from the answers; returns how long to sleep. */
  #judge(claims: readonly Claimed[], hinted: boolean): number {
    this.#claims.bulk = claims.some(({ more, runs }) => more && runs.length >= BULK)
    if (claims.some(({ runs }) => runs.length > 0)) this.#yielding.won()
    else if (hinted) this.#yielding.lost()
    if (claims.some(({ more }) => more)) {
      this.#dueAtMs = Number.NEGATIVE_INFINITY
      this.#hungry = true
      return this.#limit() > 0 ? 0 : this.#idleMs()
    }
    const inMs = Math.min(...claims.map((claim) => claim.nextDueInMs ?? Number.POSITIVE_INFINITY))
    this.#dueAtMs = this.#options.clock.monotonicMs() + inMs
    return Math.min(this.#idleMs(), inMs)
  }

  /**
   * How long to wait before the next claim: the spacing, and after a hint a delay of this worker.
   */
  #waitMs(): number {
    const nowMs = this.#options.clock.monotonicMs()
    const spacingMs = this.#nextClaimMs - nowMs
    if (this.#followAtMs === null) return spacingMs
    return Math.max(spacingMs, Math.min(this.#followAtMs, this.#dueAtMs) - nowMs)
  }

  /**
   * On average one claim in 5 ms, with a small random offset; a few may follow each other at once.
   */
  #space(): void {
    const { clock, random } = this.#options
    const spacingMs = SPACING_MS * (0.8 + 0.4 * random.fraction())
    const earliestMs = clock.monotonicMs() - BURST * SPACING_MS
    this.#nextClaimMs = Math.max(this.#nextClaimMs, earliestMs) + spacingMs
  }

  async #claim(limit: number): Promise<Claimed[]> {
    this.#requested += limit
    try {
      return await this.#claims.claim(limit)
    } finally {
      this.#requested -= limit
    }
  }

  /** Resolves when no claim is in progress. */
  async idle(): Promise<void> {
    await this.#claims.quiet.idle()
    await this.#following?.catch(() => undefined)
  }
}
