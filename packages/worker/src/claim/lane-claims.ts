/**
 * Sends claims: decides which lanes a claim covers, and learns from each answer what the lanes
 * have. Lanes of queues with a limit are claimed one queue at a time. While claims are large, lanes
 * that are expected to have little are left to `QuietLaneClaims`.
 */
import type { Clock, Random } from '@punctual/core/clock'
import type { Lane } from '@punctual/core/flow'
import type { ClaimedRun, ClaimResult, WorkStore } from '@punctual/core/ports'
import { Demand } from './intake.ts'
import type { LaneList } from './lane-list.ts'
import { QuietLaneClaims } from './quiet-lane-claims.ts'

/** The capacity of the worker, by which claims are sized. */
export interface ClaimCapacity {
  readonly free: number
  readonly running: number
  /** Runs that are held and have not started. */
  readonly buffered: number
  /** True when no more may be claimed than can start at once. */
  readonly exact: boolean
  /** How many more runs of a limited queue may be held; null when the queue has no limit. */
  room(queue: string): number | null
}

export interface LaneClaimsOptions {
  readonly store: Pick<WorkStore, 'claim'>
  readonly clock: Clock
  readonly random: Random
  readonly lanes: LaneList
  readonly capacity: ClaimCapacity
  /** Whether hints arrive: then polling is slow. */
  readonly hintsArrive: () => boolean
  readonly sessionId: () => string | null
  /** The session is no longer valid: a new one must be opened. */
  readonly onSessionLost: () => Promise<void>
  readonly onClaimed: (runs: readonly ClaimedRun[], claimedAtMs: number) => Promise<void>
  /** Runs that may not start while another run of their job is running. */
  readonly onParked: (runIds: readonly string[]) => void
  /** A limited queue was left out because it holds as many runs as it may. */
  readonly onLeftOut: () => void
}

export type Claimed = Pick<ClaimResult, 'runs' | 'more' | 'nextDueInMs'>

export class LaneClaims {
  readonly #options: LaneClaimsOptions
  readonly #demand = new Demand()
  readonly quiet: QuietLaneClaims
  /** The last claim was large and yielded as many runs as it requested. */
  bulk = false
  /** No claim may be sent alongside the one in progress. */
  alone = false

  constructor(options: LaneClaimsOptions) {
    const { clock, random } = options
    this.#options = options
    this.quiet = new QuietLaneClaims({ clock, random, claim: () => this.#claimQuiet() })
  }

  /** Runs may be due in these lanes; null: in any. */
  hinted(lanes: readonly number[] | null): void {
    this.#options.lanes.due.hinted(lanes)
    const anyQuiet = lanes?.some((id) => this.#demand.expected(id) !== null) ?? true
    if (this.bulk && anyQuiet && !this.alone) this.quiet.hinted()
  }

  /** Claims from all queues without a limit together, and from each limited queue separately. */
  async claim(limit: number): Promise<Claimed[]> {
    const { lanes, capacity, hintsArrive, onLeftOut } = this.#options
    const groups = new Map<string | null, Lane[]>()
    const all = await lanes.current(hintsArrive())
    const quiet = new Set(this.alone ? [] : this.#quietOf(all))
    if (quiet.size > 0) this.quiet.largeClaimSent()
    for (const lane of all) {
      if (quiet.has(lane)) continue
      const limited = capacity.room(lane.queue) === null ? null : lane.queue
      const group = groups.get(limited)
      if (group) group.push(lane)
      else groups.set(limited, [lane])
    }
    const results: Claimed[] = []
    let left = limit
    for (const [queue, group] of groups) {
      const room = queue === null ? left : Math.min(left, capacity.room(queue) ?? left)
      if (room < 1) {
        onLeftOut()
        continue
      }
      const result = await this.#claimFrom(group, room, this.bulk)
      left -= result.runs.length
      results.push(result)
    }
    const nextDueInMs = lanes.nextInMs
    if (nextDueInMs !== null) results.push({ runs: [], more: false, nextDueInMs })
    return results
  }

  async #claimFrom(lanes: readonly Lane[], limit: number, bulk: boolean): Promise<Claimed> {
    const { store, random, clock, onSessionLost, onClaimed, onParked } = this.#options
    const sessionId = this.#options.sessionId()
    if (!sessionId) return { runs: [], more: true, nextDueInMs: null }
    const claimedAtMs = clock.monotonicMs()
    const weights = this.#demand.weights(lanes)
    const request = { sessionId, fence: random.token(), limit, lanes, weights, bulk }
    const result = await store.claim(request)
    if (!result.sessionAlive) {
      await onSessionLost()
      return { ...result, more: true }
    }
    this.#demand.note(lanes, limit, result.gave)
    this.#options.lanes.due.learn(lanes, { limit, sentAtMs: claimedAtMs }, result)
    if (result.runs.length > 0) await onClaimed(result.runs, claimedAtMs)
    if (result.parked.length > 0) onParked(result.parked)
    return result
  }

  #claimQuiet(): Promise<Claimed> | null {
    const { known, due } = this.#options.lanes
    const lanes = this.#quietOf(due.dueNow(known))
    if (lanes.length === 0) return null
    const limit = lanes.reduce((sum, { id }) => sum + (this.#demand.expected(id) ?? 0), 0)
    return this.#claimFrom(lanes, limit, false)
  }

  /**
   * The lanes that are expected to have little and that no busy lane of a higher priority precedes;
   * none while no claim is large.
   */
  #quietOf(lanes: readonly Lane[]): readonly Lane[] {
    const { capacity } = this.#options
    if (!this.bulk || capacity.exact) return []
    const busy = lanes.filter(({ id }) => this.#demand.expected(id) === null)
    if (busy.length === 0) return []
    const highest = Math.max(...busy.map(({ priority }) => priority))
    return lanes.filter(
      ({ id, priority, queue }) =>
        priority >= highest && this.#demand.expected(id) !== null && capacity.room(queue) === null,
    )
  }
}
