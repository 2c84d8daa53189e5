/**
 * Chooses, of many lanes, those that may have something due: each lane in a claim costs two probes
 * of an index. One statement finds the lanes that have runs at all, and when the first of each is
 * due; hints and the answers of claims keep that up to date. While there are few lanes, claims
 * cover them all.
 */
import type { Clock } from '@punctual/core/clock'
import type { Lane } from '@punctual/core/flow'
import type { ClaimResult, WorkStore } from '@punctual/core/ports'

/** A lost hint costs as long as this. */
const STALE_MS = 1_000
const STALE_WITH_HINTS_MS = 5_000
/** Searching takes at most a tenth of the time. */
const REST = 9

export class DueLanes {
  readonly #store: Pick<WorkStore, 'lanesWithRuns'>
  readonly #clock: Clock
  readonly #few: number
  /** When each lane may have something due; lanes that are not here have no runs. */
  readonly #dueAtMs = new Map<number, number>()
  #searchedAtMs = Number.NEGATIVE_INFINITY
  #mayAtMs = Number.NEGATIVE_INFINITY
  #wanted = true
  /** Lanes of hints that arrived while a search was in progress, which may not have seen them. */
  #hintedMeanwhile: Set<number> | null = null

  /** `few`: up to so many lanes are claimed from without a choice. */
  constructor(store: Pick<WorkStore, 'lanesWithRuns'>, clock: Clock, few: number) {
    this.#store = store
    this.#clock = clock
    this.#few = few
  }

  /** Runs may be due in these lanes; null: in any. */
  hinted(lanes: readonly number[] | null): void {
    if (lanes === null) this.#wanted = true
    else
      for (const lane of lanes) {
        this.#dueAtMs.set(lane, this.#clock.monotonicMs())
        this.#hintedMeanwhile?.add(lane)
      }
  }

  /** The next choice must know all that is due by now. */
  searchNow(): void {
    this.#wanted = true
    this.#mayAtMs = Number.NEGATIVE_INFINITY
  }

  #areFew(lanes: readonly Lane[]): boolean {
    return lanes.length <= this.#few
  }

  /** Returns the lanes from which a claim is worth it now. */
  async of(lanes: readonly Lane[], hintsArrive: boolean): Promise<readonly Lane[]> {
    if (this.#areFew(lanes)) return lanes
    const nowMs = this.#clock.monotonicMs()
    const staleMs = hintsArrive ? STALE_WITH_HINTS_MS : STALE_MS
    this.#wanted ||= nowMs - this.#searchedAtMs >= staleMs
    if (this.#wanted && nowMs >= this.#mayAtMs) await this.#search()
    return this.dueNow(lanes)
  }

  /** As `of`, by what is known already. */
  dueNow(lanes: readonly Lane[]): readonly Lane[] {
    if (this.#areFew(lanes)) return lanes
    const nowMs = this.#clock.monotonicMs()
    return lanes.filter(({ id }) => (this.#dueAtMs.get(id) ?? Number.POSITIVE_INFINITY) <= nowMs)
  }

  /** Milliseconds until another of these lanes may have something due; null when none is known. */
  nextInMs(lanes: readonly Lane[]): number | null {
    if (this.#areFew(lanes)) return null
    const nowMs = this.#clock.monotonicMs()
    let next = this.#wanted ? this.#mayAtMs : Number.POSITIVE_INFINITY
    for (const { id } of lanes) {
      const dueAtMs = this.#dueAtMs.get(id)
      if (dueAtMs !== undefined && dueAtMs > nowMs) next = Math.min(next, dueAtMs)
    }
    return next === Number.POSITIVE_INFINITY ? null : Math.max(0, next - nowMs)
  }

  async #search(): Promise<void> {
    const beganMs = this.#clock.monotonicMs()
    this.#wanted = false
    this.#hintedMeanwhile = new Set()
    try {
      const found = await this.#store.lanesWithRuns()
      const nowMs = this.#clock.monotonicMs()
      this.#dueAtMs.clear()
      for (const { lane, dueInMs } of found) this.#dueAtMs.set(lane, beganMs + dueInMs)
      for (const lane of this.#hintedMeanwhile) this.#dueAtMs.set(lane, nowMs)
      this.#searchedAtMs = beganMs
      this.#mayAtMs = nowMs + REST * (nowMs - beganMs)
    } catch (error) {
      this.#wanted = true
      throw error
    } finally {
      this.#hintedMeanwhile = null
    }
  }

  /**
   * Learns from the answer of a claim, which was sent at `sentAtMs`. A lane that gave runs may have
   * more. The others have nothing before the next due run that the claim saw, unless a hint has
   * named them since, or the claim was full before it reached them.
   */
  learn(
    lanes: readonly Lane[],
    { limit, sentAtMs }: { readonly limit: number; readonly sentAtMs: number },
    { runs, gave, nextDueInMs, sessionAlive }: ClaimResult,
  ): void {
    if (!sessionAlive || runs.length >= limit) return
    const gaveRuns = new Set(gave.map(({ lane }) => lane))
    for (const { id } of lanes) {
      const hintedSince = (this.#dueAtMs.get(id) ?? sentAtMs) > sentAtMs
      if (gaveRuns.has(id) || hintedSince) continue
      if (nextDueInMs === null) this.#dueAtMs.delete(id)
      else this.#dueAtMs.set(id, sentAtMs + nextDueInMs)
    }
  }
}
