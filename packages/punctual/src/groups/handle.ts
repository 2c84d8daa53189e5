/** One group, as whoever made it or asked for it by its id holds it. */
import type { Group } from '@punctual/core/run'
import type { SubmitOptions } from '@punctual/core/submit'
import type { WaitOptions } from '../runs/read-options.ts'
import type { SubmitCallOptions } from '../submit/handler-handle.ts'

/** A member to be: what `submit` takes, as an object. */
export interface GroupRun {
  /** The name of the handler. */
  handler: string
  /** What the handler is given, as JSON. @default null */
  payload?: unknown
  /** When and how it is to be run, as of `submit`. @default as of `submit` */
  options?: SubmitOptions
}

/** Whether to write as a part of a transaction of one's own. */
export type GroupCallOptions = Pick<SubmitCallOptions, 'tx'>

/** How many runs were cancelled, and how many handlers were asked to end. */
export interface GroupCancelResult {
  /** Runs that had not started, and never will. */
  readonly cancelled: number
  /** Runs whose handlers were asked to end. */
  readonly cancelling: number
}

/** One group, to be asked, added to, closed, waited for and cancelled. */
export interface GroupHandle {
  /** The id of the group; `punctual.groups.handle(id)` makes the same handle in another process. */
  readonly id: string
  /** How far it has come. */
  get(): Promise<Group>
  /** Adds up to 10,000 runs: all of them, or none. Only while it is open. */
  add(runs: readonly GroupRun[], options?: GroupCallOptions): Promise<void>
  /** Nothing can be added any more; false when it was closed already. */
  close(options?: GroupCallOptions): Promise<boolean>
  /** Resolves with the group when it is closed and every member has ended, however. */
  done(options?: WaitOptions): Promise<Group>
  /** Closes it and cancels what has not ended. It is done, and its callback comes, when all have ended. */
  cancel(reason?: string): Promise<GroupCancelResult>
}
