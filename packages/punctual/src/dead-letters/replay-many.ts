/**
 * Drives the replay of many dead letters from this process: counts them, then releases batches as the pace allows
 * and watches how they end. Every batch is one transaction that closes its letters and makes their runs, so whenever
 * this process ends, what it has not replayed is open as before.
 */
import { refuseOption } from '@punctual/core/check'
import {
  type CompiledDeadLetterFilter,
  compileReplayPace,
  nextReplayStep,
  type ReplayPace,
  type ReplayRules,
  watchesEnds,
} from '@punctual/core/dead-letter'
import { limits } from '@punctual/core/errors'
import type { DeadLetterCount, HandledBy, PostgresStore, ReplayAnswer } from '@punctual/store'

const LIMIT_MAX = 100_000
const WATCHED_MAX = 10_000

/** How many dead letters are dealt with at once. */
export interface ManyOptions {
  /** An empty filter is meant: every open dead letter. @default false */
  all?: boolean
  /** At most so many, up to 100,000. @default 10000 */
  limit?: number
  /** Only count them. @default false */
  dryRun?: boolean
  /** Ends it after the batch that is under way. */
  signal?: AbortSignal
}

/** How many dead letters are replayed, and how fast. */
export interface ReplayManyOptions extends ManyOptions, ReplayPace {
  /** Go on from the last checkpoint of each, where it has one. @default false */
  fromCheckpoint?: boolean
  /** Why, kept with each. */
  note?: string
  /** Who, kept with each. */
  by?: string
  /** Told after every step. */
  onProgress?: (progress: ReplayProgress) => void
}

/** How far a replay of many has come. */
export interface ReplayProgress {
  /** How many open ones the filter had. */
  readonly matching: number
  /** How many of these are to be replayed: no more than the limit. */
  readonly wanted: number
  /** How many were replayed. */
  readonly replayed: number
  /** Somebody else was faster. */
  readonly alreadyHandled: number
  /** A live run has their key; they stay open. */
  readonly keyBusy: number
  /** Of the replays; known where a canary or a bound asks for it. */
  readonly ended: number
  /** Of those that have ended: dead or unknown. */
  readonly failed: number
}

/** What a replay of many came to. */
export interface ReplayManyResult extends ReplayProgress {
  /** Why it ended before all were replayed; null when it did not. */
  readonly stopped: 'failure_rate' | 'aborted' | null
  /** The new runs, in the order in which they were made. */
  readonly runIds: readonly string[]
}

export function checkManyOptions(options: ManyOptions): { limit: number; dryRun: boolean } {
  const { limit = limits.batchSize, dryRun = false, signal } = options
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    refuseOption('limit', `an integer from 1 to ${LIMIT_MAX}`, limit)
  if (typeof dryRun !== 'boolean') refuseOption('dryRun', 'true or false', dryRun)
  if (signal !== undefined && !(signal instanceof AbortSignal))
    refuseOption('signal', 'an AbortSignal', signal)
  return { limit, dryRun }
}

export async function replayMany(
  store: PostgresStore,
  filter: CompiledDeadLetterFilter,
  options: ReplayManyOptions,
  { tenantId, ...handledBy }: HandledBy & { readonly tenantId: number },
): Promise<ReplayManyResult> {
  const { limit, dryRun } = checkManyOptions(options)
  const { fromCheckpoint = false } = options
  if (typeof fromCheckpoint !== 'boolean')
    refuseOption('fromCheckpoint', 'true or false', fromCheckpoint)
  const rules = compileReplayPace(options)
  const count = await store.letters.count(filter, tenantId)
  const how = { ...handledBy, fromCheckpoint }
  const drive = new ReplayDrive({ store, tenantId, filter, count, limit, rules, how, options })
  return dryRun ? drive.result(null) : drive.run()
}

interface Drive {
  readonly store: PostgresStore
  readonly tenantId: number
  readonly filter: CompiledDeadLetterFilter
  readonly count: DeadLetterCount
  readonly limit: number
  readonly rules: ReplayRules
  readonly how: HandledBy & { readonly fromCheckpoint: boolean }
  readonly options: ReplayManyOptions
}

class ReplayDrive {
  readonly #d: Drive
  readonly #runIds: string[] = []
  /** Replays whose end is not known yet. */
  readonly #underWay = new Set<string>()
  #after: string | null = null
  #looked = 0
  #alreadyHandled = 0
  #keyBusy = 0
  #ended = 0
  #failed = 0

  constructor(drive: Drive) {
    this.#d = drive
  }

  async run(): Promise<ReplayManyResult> {
    const { store, rules, options } = this.#d
    const clock = store.database.localClock
    let releasedAtMs = Number.NEGATIVE_INFINITY
    while (this.#looked < this.#d.limit) {
      if (options.signal?.aborted) return this.result('aborted')
      if (watchesEnds(rules)) await this.#watch()
      const step = nextReplayStep(rules, {
        ...{ released: this.#runIds.length, ended: this.#ended, failed: this.#failed },
        sinceReleaseMs: clock.monotonicMs() - releasedAtMs,
      })
      if (step.kind === 'stop') return this.result('failure_rate')
      if (step.kind === 'wait') await clock.sleep(step.ms, options.signal)
      else {
        releasedAtMs = clock.monotonicMs()
        if (!(await this.#release(step.most))) break
      }
      options.onProgress?.(this.#progress())
    }
    if (watchesEnds(rules)) await this.#watch()
    return this.result(null)
  }

  /** False when nothing is left. */
  async #release(most: number): Promise<boolean> {
    const { store, tenantId, filter, count, limit, how } = this.#d
    const room = Math.min(most, limit - this.#looked)
    const ids = await store.letters.pick(filter, count, this.#after, room, tenantId)
    if (ids.length === 0) return false
    const requests = ids.map((id) => ({ id, payload: null }))
    for (const answer of await store.deadLetterSteering.replay(requests, how, tenantId))
      this.#note(answer)
    this.#looked += ids.length
    this.#after = ids.at(-1) ?? null
    return true
  }

  #note(answer: ReplayAnswer): void {
    if (answer.result === 'replayed') {
      this.#runIds.push(answer.id)
      this.#underWay.add(answer.id)
    } else if (answer.result === 'key_busy') this.#keyBusy++
    else this.#alreadyHandled++
  }

  async #watch(): Promise<void> {
    const ids = [...this.#underWay].slice(0, WATCHED_MAX)
    if (ids.length === 0) return
    for (const [id, state] of await this.#d.store.letters.ends(ids)) {
      this.#underWay.delete(id)
      this.#ended++
      if (state === 'dead' || state === 'unknown') this.#failed++
    }
  }

  #progress(): ReplayProgress {
    const { count, limit } = this.#d
    return {
      matching: count.letters,
      wanted: Math.min(count.letters, limit),
      replayed: this.#runIds.length,
      alreadyHandled: this.#alreadyHandled,
      keyBusy: this.#keyBusy,
      ended: this.#ended,
      failed: this.#failed,
    }
  }

  result(stopped: ReplayManyResult['stopped']): ReplayManyResult {
    return { ...this.#progress(), stopped, runIds: this.#runIds }
  }
}
