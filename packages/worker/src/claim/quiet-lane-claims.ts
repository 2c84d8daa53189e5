/**
 * Small claims alongside the large ones. While a lane with much to do keeps the claims large, a run
 * of another lane would wait for two of them: the one in progress, and its own. So lanes with
 * little to do are claimed separately: when a hint arrives, and whenever a large claim is sent,
 * unless nothing is due by then.
 */
import type { Clock, Random } from '@punctual/core/clock'
import type { ClaimResult } from '@punctual/core/ports'
import { Yielding } from './intake.ts'

/**
 * How long to rest, as a multiple of the duration of the last claim: small claims must cost little
 * compared with the large ones. Unused rest is saved, so that a claim after a pause is sent at
 * once, and so is the one that follows it.
 */
const REST = 2
const REST_MAX_MS = 50
/** How often to claim without a hint: it may have been lost. */
const POLL_MS = 1_000
/** Runs that are found more often than this, or more at once, are not rare. */
const RARE_MS = 50
const RARE_RUNS = 2
/** How long a rare run counts as found. */
const FOUND_MS = 1_000

export interface QuietLaneClaimsOptions {
  readonly clock: Clock
  readonly random: Random
  /** Claims from the lanes with little to do; null when there are none. */
  readonly claim: () => Promise<Pick<ClaimResult, 'runs' | 'more' | 'nextDueInMs'>> | null
}

export class QuietLaneClaims {
  readonly #options: QuietLaneClaimsOptions
  readonly #yielding = new Yielding()
  #wanted = false
  #hinted = false
  #dueAtMs = Number.NEGATIVE_INFINITY
  /** Until when the claims so far require rest. */
  #restedAtMs = Number.NEGATIVE_INFINITY
  /** When the last claim that found runs was answered. */
  #foundAtMs = Number.NEGATIVE_INFINITY
  #rareUntilMs = Number.NEGATIVE_INFINITY
  #claiming: Promise<void> | null = null
  #fault: { readonly error: unknown } | null = null

  constructor(options: QuietLaneClaimsOptions) {
    this.#options = options
  }

  /** Whether a claim is in progress: this worker does not know its leases yet. */
  get underWay(): boolean {
    return this.#claiming !== null
  }

  /**
   * True for a second after a lane that rarely has runs had some. Large claims are then sent one
   * after the other and not two at once, so that less delays the next such run.
   */
  get foundRareRun(): boolean {
    return this.#options.clock.monotonicMs() < this.#rareUntilMs
  }

  /** Runs may be due. */
  hinted(): void {
    this.#begin(true)
  }

  /** A large claim is sent. */
  largeClaimSent(): void {
    if (this.#options.clock.monotonicMs() >= this.#dueAtMs) this.#begin(false)
  }

  #begin(hinted: boolean): void {
    this.#wanted = true
    this.#hinted ||= hinted
    this.#claiming ??= this.#claimWhileWanted().finally(() => {
      this.#claiming = null
    })
  }

  async #claimWhileWanted(): Promise<void> {
    const { clock, random, claim } = this.#options
    while (this.#wanted) {
      // Every busy worker receives the same hint, and one of them is enough.
      const delayMs = this.#yielding.delayMs(random.fraction())
      if (this.#hinted && delayMs > 0) await clock.sleep(delayMs)
      const hinted = this.#hinted
      this.#wanted = false
      this.#hinted = false
      const beganMs = clock.monotonicMs()
      const result = await claim()?.catch((error: unknown) => {
        this.#fault = { error }
        return null
      })
      if (!result) return
      if (result.runs.length > 0) this.#found(result.runs.length)
      else if (hinted) this.#yielding.lost()
      const nowMs = clock.monotonicMs()
      this.#dueAtMs = nowMs + Math.min(POLL_MS, result.nextDueInMs ?? POLL_MS)
      const tookMs = nowMs - beganMs
      const restMs = Math.min(REST_MAX_MS, REST * tookMs)
      this.#restedAtMs = Math.max(this.#restedAtMs, beganMs - REST_MAX_MS) + tookMs + restMs
      if (this.#restedAtMs > nowMs) await clock.sleep(this.#restedAtMs - nowMs)
      this.#wanted ||= result.more
    }
  }

  #found(runs: number): void {
    this.#yielding.won()
    const nowMs = this.#options.clock.monotonicMs()
    const rare = runs <= RARE_RUNS && nowMs - this.#foundAtMs >= RARE_MS
    if (rare) this.#rareUntilMs = nowMs + FOUND_MS
    this.#foundAtMs = nowMs
  }

  /**
   * Throws the error of a failed claim once: it may have succeeded although its answer was lost.
   */
  check(): void {
    const fault = this.#fault
    this.#fault = null
    if (fault) throw fault.error
  }

  async idle(): Promise<void> {
    await this.#claiming
  }
}
