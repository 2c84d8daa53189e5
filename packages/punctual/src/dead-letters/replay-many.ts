/**
 * Drives the replay of many dead letters from this process: counts them, then releases batches as
 * the pace allows and watches how their runs end. Every batch is one transaction that closes its
 * dead letters and creates their runs, so when this process ends, the dead letters that it has not
 * replayed are still open.
 */
import { refuseOption } from '@punctual/core/check'
import {
  type CompiledDeadLetterFilter,
  compileReplayPace,
  nextReplayStep,
  type ReplayManyResult,
  type ReplayPace,
  type ReplayProgress,
  type ReplayRules,
  watchesEnds,
} from '@punctual/core/dead-letter'
import { limits } from '@punctual/core/errors'
import type { DeadLetterCount, HandledBy, PostgresStore, ReplayAnswer } from '@punctual/store'

const LIMIT_MAX = 100_000
const WATCHED_MAX = 10_000

/** Options for handling many dead letters. */
export interface ManyOptions {
  /** Allows an empty filter, which selects every open dead letter. @default false */
  all?: boolean
  /** The most dead letters to handle, up to 100,000. @default 10000 */
  limit?: number
  /** Only counts the matching dead letters. @default false */
  dryRun?: boolean
  /** Stops after the current batch. */
  signal?: AbortSignal
}

/** Options of `replayMany`, including its pace. */
export interface ReplayManyOptions extends ManyOptions, ReplayPace {
  /** Continues each from its last checkpoint, if it has one. @default false */
  fromCheckpoint?: boolean
  /** The reason, stored with each, up to 1,024 characters. */
  note?: string
  /** Who replays them, stored with each, up to 256 characters. */
  by?: string
  /** Called after every step. */
  onProgress?: (progress: ReplayProgress) => void
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
  const count = await store.deadLetters.count(filter, tenantId)
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
  readonly #drive: Drive
  readonly #runIds: string[] = []
  /** Replays whose end is not known yet. */
  readonly #underWay = new Set<string>()
  #after: string | null = null
  #checked = 0
  #alreadyHandled = 0
  #keyBusy = 0
  #ended = 0
  #failed = 0

  constructor(drive: Drive) {
    this.#drive = drive
  }

  async run(): Promise<ReplayManyResult> {
    const { store, rules, options } = this.#drive
    const clock = store.database.localClock
    let releasedAtMs = Number.NEGATIVE_INFINITY
    while (this.#checked < this.#drive.limit) {
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

  /** Returns false when no dead letter is left. */
  async #release(most: number): Promise<boolean> {
    const { store, tenantId, filter, count, limit, how } = this.#drive
    const room = Math.min(most, limit - this.#checked)
    const ids = await store.deadLetters.pick(filter, count, this.#after, room, tenantId)
    if (ids.length === 0) return false
    const requests = ids.map((id) => ({ id, payload: null }))
    const { transaction } = store.database.ambient
    const { deadLetterSteering } = store
    for (const answer of await deadLetterSteering.replay(requests, how, tenantId, transaction))
      this.#note(answer)
    this.#checked += ids.length
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
    for (const [id, state] of await this.#drive.store.deadLetters.ends(ids)) {
      this.#underWay.delete(id)
      this.#ended++
      if (state === 'dead' || state === 'unknown') this.#failed++
    }
  }

  #progress(): ReplayProgress {
    const { count, limit } = this.#drive
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
