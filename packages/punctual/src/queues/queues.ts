/** `punctual.queues`: what waits and runs in each queue, and pausing them. */
import { checkName, checkText, refuseOption } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import type { FinalState } from '@punctual/core/run'
import type { LaneDepth, Pause, PostgresStore } from '@punctual/store'

const LAST_SECONDS = 60

/** What is kept with a pause. */
export interface PauseOptions {
  /** Why, for those who find it paused. */
  note?: string
  /** Who pauses it. */
  by?: string
}

/** A queue: what waits and runs in it. */
export interface Queue {
  /** Its name. */
  readonly queue: string
  /** Nothing is taken from it. */
  readonly paused: boolean
  /** Its own pause, or that of everything; null when it is not paused. */
  readonly pause: Pause | null
  /** Runs that are due and wait for a worker, counted to 10,000 a lane. */
  readonly due: number
  /** Runs whose time comes within a minute or so; those that are further ahead are not counted. */
  readonly scheduled: number
  /** Runs that workers have. */
  readonly running: number
  /** How long the oldest due run has waited. */
  readonly oldestMs: number
  /** How many runs ended in the last minute, by state. */
  readonly endedLastMinute: Partial<Record<FinalState, number>>
  /** The same by handler and priority. */
  readonly lanes: readonly LaneDepth[]
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

/** The pause that holds a queue up: its own, or that of everything. */
export function pauseOf(pauses: readonly Pause[], queue: string): Pause | null {
  return pauses.find((it) => it.queue === queue) ?? pauses.find((it) => it.queue === null) ?? null
}

export function describePause({ queue, pausedAt, note, pausedBy }: Pause): string {
  const what = queue === null ? 'Everything is' : `The queue ${queue} is`
  const who = pausedBy === null ? '' : ` by ${pausedBy}`
  return `${what} paused since ${pausedAt.toISOString()}${who}${note === null ? '.' : `: ${note}`}`
}

/** `punctual.queues`: what waits and runs in each queue, and pausing them. */
export class Queues {
  readonly #store: PostgresStore
  readonly #tenantId: number

  /** @internal */
  constructor(store: PostgresStore, tenantId: number) {
    this.#store = store
    this.#tenantId = tenantId
  }

  /** Every queue that runs were submitted to, or that is paused, by name. */
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

  /** What is paused, that of everything first. */
  pauses(): Promise<Pause[]> {
    return this.#store.queues.pauses(this.#tenantId)
  }

  /**
   * No run of this queue is taken by a worker once this resolves; those that workers have go on. False when it was
   * paused already.
   */
  async pause(queue: string, options: PauseOptions = {}): Promise<boolean> {
    return this.#store.queues.pause(
      checkName('queue', queue),
      checkOptions(options),
      this.#tenantId,
    )
  }

  /** False when it was not paused. While everything is paused it stays so. */
  async resume(queue: string): Promise<boolean> {
    return this.#store.queues.resume(checkName('queue', queue), this.#tenantId)
  }

  /** No run at all is taken by a worker once this resolves. False when everything was paused already. */
  async pauseAll(options: PauseOptions = {}): Promise<boolean> {
    return this.#store.queues.pause(null, checkOptions(options), this.#tenantId)
  }

  /** Ends `pauseAll`; queues that are paused by themselves stay so. False when not everything was paused. */
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
  const sum = (of: (lane: LaneDepth) => number) => lanes.reduce((total, it) => total + of(it), 0)
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
      ended.filter((it) => it.queue === queue).map(({ state, runs }) => [state, runs]),
    ),
    lanes,
  }
}
