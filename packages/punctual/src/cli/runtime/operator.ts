/**
 * What commands operate: the library on the database, or a server over HTTP. It is the library's own objects, as far as
 * both ways have them; a command that needs more opens the library itself and works on the database only.
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
  /** The time by which ages are told. */
  nowMs(): number
}
