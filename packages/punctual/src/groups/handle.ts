/** The handle on one group, for its creator or for a caller that knows its id. */
import type { Group } from '@punctual/core/run'
import type { SubmitOptions } from '@punctual/core/submit'
import type { Target } from '@punctual/core/target'
import type { WaitOptions } from '../runs/read-options.ts'
import type { SubmitCallOptions } from '../submit/handler-handle.ts'

/** A member of a group: the arguments of `submit` as an object. */
export interface GroupRun {
  /** The name of its handler, or another target. */
  handler: string | Target
  /** The payload, any JSON value. @default null */
  payload?: unknown
  /** The options of `submit`, without `tx`. @default those of `submit` */
  options?: SubmitOptions
}

/** Options of group calls: `tx` makes the call part of your transaction. */
export type GroupCallOptions = Pick<SubmitCallOptions, 'tx'>

/** The result of cancelling a group. */
export interface GroupCancelResult {
  /** Members cancelled before they started. */
  readonly cancelled: number
  /** Running members whose handlers were signalled to stop. */
  readonly cancelling: number
}

/** A handle on one group: reads it, adds to it, closes it, waits for it and cancels it. */
export interface GroupHandle {
  /** The id of the group; `punctual.groups.handle(id)` makes the same handle in another process. */
  readonly id: string
  /** The group with the number of members in each state. */
  get(): Promise<Group>
  /** Adds up to 10,000 runs: all, or none. Only while the group is open. */
  add(runs: readonly GroupRun[], options?: GroupCallOptions): Promise<void>
  /** Closes the group, so that no runs can be added; false when it was closed already. */
  close(options?: GroupCallOptions): Promise<boolean>
  /** Resolves with the group when it is closed and every member has ended, in any final state. */
  done(options?: WaitOptions): Promise<Group>
  /**
   * Closes the group and cancels its live members. It is done, and its callback submitted, when all
   * have ended.
   */
  cancel(reason?: string): Promise<GroupCancelResult>
}
