/**
 * Small claims beside the large ones. While a lane with much to do keeps the claims large, what comes in for another
 * one would wait for two of them: the one that is under way, and its own. So lanes with little to do are claimed from
 * by themselves: when a hint comes, and whenever a large claim is made, unless nothing is due by then.
 */
import type { Clock, Random } from '@punctual/core/clock'
import type { ClaimResult } from '@punctual/core/ports'
import { Yielding } from './intake.ts'

/**
 * How long to rest, in the time that the last claim took: they are to cost little beside the large ones. Rest that was
 * not needed is saved up, so that a claim after a pause is made at once, and one that follows it.
 */
const REST = 2
const REST_MAX_MS = 50
/** Something may be due that no hint told of: looked for so often. */
const POLL_MS = 1_000

export interface QuietLaneClaimsOptions {
  readonly clock: Clock
  readonly random: Random
  /** Claims from the lanes with little to do; null when there are none. */
  readonly take: () => Promise<Pick<ClaimResult, 'runs' | 'more' | 'nextDueInMs'>> | null
}

export class QuietLaneClaims {
  readonly #options: QuietLaneClaimsOptions
  readonly #yielding = new Yielding()
  #wanted = false
  #hinted = false
  #dueAtMs = Number.NEGATIVE_INFINITY
  /** Until when what was claimed so far is to be rested from. */
  #restedAtMs = Number.NEGATIVE_INFINITY
  #going: Promise<void> | null = null
  #fault: { readonly error: unknown } | null = null

  constructor(options: QuietLaneClaimsOptions) {
    this.#options = options
  }

  /** Whether a claim is under way: its leases are not known here yet. */
  get underWay(): boolean {
    return this.#going !== null
  }

  /** Something may be due. */
  hinted(): void {
    this.#look(true)
  }

  /** A large claim is made. */
  besideAnother(): void {
    if (this.#options.clock.monotonicMs() >= this.#dueAtMs) this.#look(false)
  }

  #look(hinted: boolean): void {
    this.#wanted = true
    this.#hinted ||= hinted
    this.#going ??= this.#go().finally(() => {
      this.#going = null
    })
  }

  async #go(): Promise<void> {
    const { clock, random, take } = this.#options
    while (this.#wanted) {
      // Every busy worker has the same hint, and one of them is enough.
      const delayMs = this.#yielding.delayMs(random.fraction())
      if (this.#hinted && delayMs > 0) await clock.sleep(delayMs)
      const hinted = this.#hinted
      this.#wanted = false
      this.#hinted = false
      const beganMs = clock.monotonicMs()
      const result = await take()?.catch((error: unknown) => {
        this.#fault = { error }
        return null
      })
      if (!result) return
      if (result.runs.length > 0) this.#yielding.won()
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

  /** Throws what a claim failed with, once: its answer may be lost and not the claim, and then its leases are looked for. */
  check(): void {
    const fault = this.#fault
    this.#fault = null
    if (fault) throw fault.error
  }

  async idle(): Promise<void> {
    await this.#going
  }
}
