/** `punctual.queues`: shows what is waiting and running in each queue, and pauses queues. */
import { checkName, checkText, refuseOption } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import type { LaneDepth, Pause, Queue } from '@punctual/core/queue'
import type { FinalState } from '@punctual/core/run'
import type { PostgresStore } from '@punctual/store'

const LAST_SECONDS = 60

/** Options of `pause` and `pauseAll`: stored with the pause and shown with the queue. */
export interface PauseOptions {
  /** The reason, up to 1,024 characters. */
  note?: string
  /** Who pauses it, up to 256 characters. */
  by?: string
}

type Ended = readonly { queue: string; state: FinalState; runs: number }[]

function checkOptions(options: PauseOptions) {
  if (typeof options !== 'object' || options === null)
    refuseOption('options', 'an object with note and by', options)
  const { note, by, ...others } = options
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) refuseOption('options', 'an object with note and by only', unknown)
  return {
    note: note === undefined ? null : checkText('note', note, limits.descriptionLength),
    by: by === undefined ? null : checkText('by', by, limits.createdByLength),
  }
}

/** The pause that stops a queue: its own, or else the pause of all queues. */
export function pauseOf(pauses: readonly Pause[], queue: string): Pause | null {
  return (
    pauses.find((pause) => pause.queue === queue) ??
    pauses.find((pause) => pause.queue === null) ??
    null
  )
}

export function describePause({ queue, pausedAt, note, pausedBy }: Pause): string {
  const subject = queue === null ? 'Everything is' : `The queue ${queue} is`
  const who = pausedBy === null ? '' : ` by ${pausedBy}`
  return `${subject} paused since ${pausedAt.toISOString()}${who}${note === null ? '.' : `: ${note}`}`
}

/** `punctual.queues`: shows what is waiting and running in each queue, and pauses queues. */
export class Queues {
  readonly #store: PostgresStore
  readonly #tenantId: number

  /** @internal */
  constructor(store: PostgresStore, tenantId: number) {
    this.#store = store
    this.#tenantId = tenantId
  }

  /** Every queue that has had a submission or is paused, sorted by name. */
  async list(): Promise<Queue[]> {
    const { queues } = this.#store
    const [depths, ended, pauses] = await Promise.all([
      queues.depths(this.#tenantId),
      queues.endedSince(LAST_SECONDS, this.#tenantId),
      queues.pauses(this.#tenantId),
    ])
    const paused = pauses.flatMap(({ queue }) => queue ?? [])
    const names = new Set([...depths.map((lane) => lane.queue), ...paused])
    return [...names].sort().map((queue) => summary(queue, depths, ended, pauses))
  }

  /** All pauses; the pause of all queues comes first. */
  pauses(): Promise<Pause[]> {
    return this.#store.queues.pauses(this.#tenantId)
  }

  /**
   * Pauses a queue: once this resolves, workers claim no run from it. Running runs continue. False
   * when the queue was paused already.
   */
  async pause(queue: string, options: PauseOptions = {}): Promise<boolean> {
    return this.#store.queues.pause(
      checkName('queue', queue),
      checkOptions(options),
      this.#tenantId,
    )
  }

  /** Resumes a queue; false when it was not paused. It stays paused while all queues are paused. */
  async resume(queue: string): Promise<boolean> {
    return this.#store.queues.resume(checkName('queue', queue), this.#tenantId)
  }

  /**
   * Pauses all queues: once this resolves, workers claim nothing. False when everything was paused
   * already.
   */
  async pauseAll(options: PauseOptions = {}): Promise<boolean> {
    return this.#store.queues.pause(null, checkOptions(options), this.#tenantId)
  }

  /**
   * Ends `pauseAll`; queues that are paused individually stay paused. False when `pauseAll` was not
   * in effect.
   */
  resumeAll(): Promise<boolean> {
    return this.#store.queues.resume(null, this.#tenantId)
  }
}

function summary(
  queue: string,
  depths: readonly LaneDepth[],
  ended: Ended,
  pauses: readonly Pause[],
): Queue {
  const lanes = depths.filter((lane) => lane.queue === queue)
  const sum = (count: (lane: LaneDepth) => number) =>
    lanes.reduce((total, lane) => total + count(lane), 0)
  const pause = pauseOf(pauses, queue)
  return {
    queue,
    paused: pause !== null,
    pause,
    due: sum((lane) => lane.due),
    scheduled: sum((lane) => lane.waiting),
    running: sum((lane) => lane.running),
    oldestMs: Math.max(0, ...lanes.map((lane) => (lane.due > 0 ? lane.oldestMs : 0))),
    endedLastMinute: Object.fromEntries(
      ended.filter((entry) => entry.queue === queue).map(({ state, runs }) => [state, runs]),
    ),
    lanes,
  }
}
