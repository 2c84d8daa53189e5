/**
 * The part of the library that commands can also use over HTTP: backed by the database, or by a
 * server. A command that needs more opens the library itself and requires the database.
 */
import type { DeadLetters } from '../../dead-letters/dead-letters.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Punctual } from '../../punctual.ts'
import type { Queues } from '../../queues/queues.ts'
import type { Runs } from '../../runs/runs.ts'

type JobVerbs = 'get' | 'list' | 'upsert' | 'delete' | 'pause' | 'resume' | 'trigger' | 'preview'

export interface OperatedJobs extends Pick<Jobs, JobVerbs> {
  readonly calendars: Pick<Jobs['calendars'], 'list'>
}

type RunVerbs =
  | ('get' | 'list' | 'logs' | 'explain' | 'waitFor')
  | ('cancel' | 'reschedule' | 'promote' | 'reprioritise')
  | ('cancelMany' | 'rescheduleMany' | 'promoteMany' | 'reprioritiseMany')

export type OperatedRuns = Pick<Runs, RunVerbs>

type DeadLetterVerbs =
  | ('list' | 'causes' | 'get')
  | ('replay' | 'replayMany' | 'discard' | 'discardMany')

export interface Operator {
  readonly jobs: OperatedJobs
  readonly runs: OperatedRuns
  readonly deadLetters: Pick<DeadLetters, DeadLetterVerbs>
  readonly queues: Pick<Queues, 'list' | 'pauses'>
  readonly submit: Punctual['submit']
  /** The current time by the database's clock; ages are computed from it. */
  nowMs(): number
}
