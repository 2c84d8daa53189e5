/** What waits and runs in a queue, and its pauses. */
import type { FinalState } from '../run/run-state.ts'

/** A pause of one queue or of all queues. */
export interface Pause {
  /** Null for a pause of all queues. */
  readonly queue: string | null
  /** When it was paused. */
  readonly pausedAt: Date
  /** The reason; null if none was given. */
  readonly note: string | null
  /** Who paused it; null if unknown. */
  readonly pausedBy: string | null
}

/** The runs that wait and run in one lane: one queue, one handler, one priority. */
export interface LaneDepth {
  /** The lane's tenant. */
  readonly tenantId: number
  /** The queue that runs are submitted to. */
  readonly queue: string
  /** The name of the handler. */
  readonly handler: string
  /** The priority, from 0 to 10. */
  readonly priority: number
  /** Whether workers take nothing from it. */
  readonly paused: boolean
  /** Runs that are due and wait for a worker; counted up to 10,000. */
  readonly due: number
  /** Runs that become due within about a minute. */
  readonly waiting: number
  /** How long the oldest due run has waited. */
  readonly oldestMs: number
  /** Runs that workers hold. */
  readonly running: number
}

/** A queue: what is waiting and running in it. */
export interface Queue {
  /** The name of the queue. */
  readonly queue: string
  /** True while workers claim nothing from it. */
  readonly paused: boolean
  /** The pause of this queue, or else the pause of all queues; null when neither is paused. */
  readonly pause: Pause | null
  /** Runs that are due and wait for a worker, counted to 10,000 a lane. */
  readonly due: number
  /** Runs that become due within about a minute; later ones are not counted. */
  readonly scheduled: number
  /** Runs that workers are executing. */
  readonly running: number
  /** How long the oldest due run has been waiting. */
  readonly oldestMs: number
  /** Runs that ended in the last minute, by final state. */
  readonly endedLastMinute: Partial<Record<FinalState, number>>
  /** The same counts by handler and priority. */
  readonly lanes: readonly LaneDepth[]
}
