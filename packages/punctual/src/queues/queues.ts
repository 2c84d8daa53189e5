/** `punctual.queues`: shows what is waiting and running in each queue, and pauses queues. */
import { checkName, checkText, refuseOption } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import type { LaneDepth, Pause, Queue } from '@punctual/core/queue'
import type { FinalState } from '@punctual/core/run'
import type { PostgresStore } from '@punctual/store'
import type { ControlWrites, WriteScope } from '../audit/control-writes.ts'

const LAST_SECONDS = 60

/** Options of `pause` and `pauseAll`: stored with the pause and shown with the queue. */
export interface PauseOptions {
  /** The reason, up to 1,024 characters. */
  note?: string
  /** Who pauses it, up to 256 characters. */
  by?: string
}

type Ended = readonly { queue: string; state: FinalState; runs: number }[]

interface CheckedPause {
  readonly note: string | null
  readonly by: string | null
}

function checkOptions(options: PauseOptions): CheckedPause {
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
  readonly #writes: ControlWrites
  readonly #tenantId: number

  /** @internal */
  constructor({ store, writes, tenantId }: WriteScope) {
    this.#store = store
    this.#writes = writes
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
    // Grouped once: a tenant may have thousands of queues, and thousands of lanes.
    const [lanes, ends] = [byQueue(depths), byQueue(ended)]
    const ofAll = pauses.find(({ queue }) => queue === null) ?? null
    const pauseBy = new Map(pauses.map((pause) => [pause.queue, pause]))
    return [...new Set([...lanes.keys(), ...paused])]
      .sort()
      .map((queue) =>
        summary(queue, lanes.get(queue) ?? [], ends.get(queue) ?? [], pauseBy.get(queue) ?? ofAll),
      )
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
    return this.#pause(checkName('queue', queue), checkOptions(options))
  }

  /** Resumes a queue; false when it was not paused. It stays paused while all queues are paused. */
  async resume(queue: string): Promise<boolean> {
    return this.#resume(checkName('queue', queue))
  }

  /**
   * Pauses all queues: once this resolves, workers claim nothing. False when everything was paused
   * already.
   */
  async pauseAll(options: PauseOptions = {}): Promise<boolean> {
    return this.#pause(null, checkOptions(options))
  }

  /**
   * Ends `pauseAll`; queues that are paused individually stay paused. False when `pauseAll` was not
   * in effect.
   */
  async resumeAll(): Promise<boolean> {
    return this.#resume(null)
  }

  #pause(queue: string | null, how: CheckedPause): Promise<boolean> {
    const pause = () => this.#store.queues.pause(queue, how, this.#tenantId)
    return this.#record('queue.pause', queue, pause)
  }

  #resume(queue: string | null): Promise<boolean> {
    const resume = () => this.#store.queues.resume(queue, this.#tenantId)
    return this.#record('queue.resume', queue, resume)
  }

  /** Records the pause before and after; the target of all queues together has no name. */
  #record(action: string, queue: string | null, change: () => Promise<boolean>): Promise<boolean> {
    return this.#writes.record(this.#tenantId, async () => {
      const before = await this.#find(queue)
      const result = await change()
      const after = await this.#find(queue)
      const target = { kind: 'queue', id: null, name: queue }
      const entry = { action, target, before, after, note: (after ?? before)?.note }
      return { result, entries: result ? [entry] : [] }
    })
  }

  async #find(queue: string | null): Promise<Pause | null> {
    return (await this.pauses()).find((pause) => pause.queue === queue) ?? null
  }
}

function byQueue<Entry extends { readonly queue: string }>(entries: readonly Entry[]) {
  const groups = new Map<string, Entry[]>()
  for (const entry of entries) {
    const group = groups.get(entry.queue)
    if (group) group.push(entry)
    else groups.set(entry.queue, [entry])
  }
  return groups
}

function summary(
  queue: string,
  lanes: readonly LaneDepth[],
  ended: Ended,
  pause: Pause | null,
): Queue {
  const sum = (count: (lane: LaneDepth) => number) =>
    lanes.reduce((total, lane) => total + count(lane), 0)
  return {
    queue,
    paused: pause !== null,
    pause,
    due: sum((lane) => lane.due),
    scheduled: sum((lane) => lane.waiting),
    running: sum((lane) => lane.running),
    oldestMs: Math.max(0, ...lanes.map((lane) => (lane.due > 0 ? lane.oldestMs : 0))),
    endedLastMinute: Object.fromEntries(ended.map(({ state, runs }) => [state, runs])),
    lanes,
  }
}
