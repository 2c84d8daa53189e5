/** Answers about jobs: the definition, the status, and the latest run. */
import { type JobChange, type JobItem, type JobRules, jobStatuses } from '@punctual/core/job'
import Type, { type Static } from 'typebox'
import { answer, labels, nullable, oneOf, unlisted } from './schemas.ts'
import { toWire } from './snake.ts'
import { targetAnswer, targetToWire } from './target-answer.ts'

const common = {
  id: Type.String(),
  name: Type.String(),
  status: oneOf(jobStatuses),
  next_run_at: nullable(Type.String()),
}

export const jobChange = answer({
  ...common,
  change: oneOf(['created', 'updated', 'unchanged'] as const),
})

/** The short answer to a change of a job. */
export function changeToWire({ id, name, status, nextAt }: JobItem, change: JobChange) {
  return { id, name, status, next_run_at: nextAt?.toISOString() ?? null, change }
}

export const jobAnswer = answer({
  ...common,
  handler: Type.String(),
  target: targetAnswer,
  queue: Type.String(),
  priority: Type.Integer(),
  payload: Type.Unknown(),
  schedule: nullable(Type.String()),
  timezone: nullable(Type.String()),
  rules: unlisted<JobItem['rules']>({
    description: 'The complete schedule and the policies for its slots.',
  }),
  start_at: nullable(Type.String()),
  end_at: nullable(Type.String()),
  max_runs: nullable(Type.Integer()),
  runs_left: nullable(Type.Integer()),
  max_attempts: Type.Integer(),
  timeout_ms: Type.Integer(),
  timeout_seconds: Type.Number(),
  delivery: Type.String(),
  retry: unlisted<JobItem['retry']>(),
  heartbeat_ms: nullable(Type.Integer()),
  concurrency: unlisted<JobItem['concurrency']>(),
  rate: unlisted<JobItem['rate']>(),
  labels,
  description: nullable(Type.String()),
  owner: nullable(Type.String()),
  source: nullable(Type.String()),
  created_by: nullable(Type.String()),
  version: Type.Integer(),
  created_at: Type.String(),
  updated_at: Type.String(),
  paused_at: nullable(Type.String()),
  paused_note: nullable(Type.String()),
  planning_error: nullable(Type.String()),
  failures: Type.Integer(),
  latest_run_id: nullable(Type.String()),
  attempt_number: nullable(Type.Integer()),
  execution_time_ms: nullable(Type.Number()),
  completed_at: nullable(Type.String()),
})

function scheduleText({ when }: JobRules): string | null {
  if (when.kind === 'cron') return when.expression
  return when.kind === 'every' ? `every ${when.expression}` : null
}

export function jobToWire({ latestRun, nextAt, ...job }: JobItem): Static<typeof jobAnswer> {
  return {
    ...toWire(job),
    target: targetToWire(job.target),
    next_run_at: nextAt?.toISOString() ?? null,
    schedule: scheduleText(job.rules),
    timezone: job.rules.timezone,
    timeout_seconds: job.timeoutMs / 1_000,
    latest_run_id: latestRun?.id ?? null,
    attempt_number: latestRun?.attempt ?? null,
    execution_time_ms: latestRun?.executionMs ?? null,
    completed_at: latestRun?.finishedAt?.toISOString() ?? null,
  }
}
