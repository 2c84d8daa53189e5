/**
 * The environment of a command: nothing of the worker's own, which has the database's URL and keys,
 * but the facts of the attempt, a few conventional variables, and those that the target names.
 */
import type { Call } from '../executor.ts'
import { MARK } from './process-tree.ts'

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export interface EnvironmentOptions {
  readonly call: Call
  readonly fence: string
  readonly mark: string
  /** The directory of the attempt. */
  readonly directory: string
  readonly named: Readonly<Record<string, string>>
}

export function environmentOf(options: EnvironmentOptions): Record<string, string> {
  const { call, fence, mark, directory, named } = options
  return {
    PATH,
    HOME: directory,
    TMPDIR: directory,
    LANG: 'C.UTF-8',
    ...named,
    ...factsOf(call, fence),
    [MARK]: mark,
  }
}

/** The facts of an attempt under the names that a command reads. */
export function factsOf(call: Call, fence: string): Record<string, string> {
  const { job } = call
  return {
    RUN_ID: call.runId,
    ATTEMPT: String(call.attempt),
    FENCE: fence,
    IDEMPOTENCY_KEY: call.idempotencyKey,
    ...(job && { JOB_ID: job.id }),
    ...(job?.slotAt && { SLOT: job.slotAt.toISOString() }),
  }
}
