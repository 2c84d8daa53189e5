/** Answers about runs: short in lists, complete for one run. */
import { type FinishedRun, type Run, type RunItem, runStates } from '@punctual/core/run'
import Type, { type Static } from 'typebox'
import { answer, labels, nullable, oneOf, unlisted } from './schemas.ts'
import { toWire } from './snake.ts'
import { targetAnswer, targetToWire } from './target-answer.ts'

const common = {
  id: Type.String(),
  state: oneOf(runStates),
  handler: Type.String(),
  queue: Type.String(),
  priority: Type.Integer(),
  due_at: Type.String(),
  created_at: Type.String(),
  key: nullable(Type.String()),
  labels,
}

export const runItem = answer({
  ...common,
  attempt: Type.Integer({ description: 'Attempts made, without a running one.' }),
  started_at: nullable(Type.String()),
  finished_at: nullable(Type.String()),
  worker_id: nullable(Type.String()),
  job_id: nullable(Type.String()),
  job: nullable(Type.String()),
  error: nullable(Type.String({ description: 'The message of its last error.' })),
  fingerprint: nullable(Type.String()),
  replayed_as: nullable(Type.String()),
})

export function runItemToWire(run: RunItem): Static<typeof runItem> {
  return toWire(run)
}

const failure = nullable(
  answer({
    name: Type.String(),
    message: Type.String(),
    stack: Type.Optional(Type.String()),
    code: Type.Optional(Type.String()),
  }),
)

const attempt = answer({
  attempt: Type.Integer(),
  outcome: Type.String(),
  started_at: nullable(Type.String()),
  ended_at: Type.String(),
  worker_id: nullable(Type.String()),
  error: failure,
})

const maybeText = Type.Optional(nullable(Type.String()))

/** Members that only some states have are omitted in the others. */
export const runAnswer = answer({
  ...common,
  target: targetAnswer,
  payload: Type.Unknown(),
  max_attempts: Type.Integer(),
  timeout_ms: Type.Integer(),
  created_by: nullable(Type.String()),
  trace: nullable(Type.String()),
  job: unlisted<Run['job']>({
    description: '`id`, `name`, `slot_at`, `missed_from`; null without one.',
  }),
  delivery: Type.String(),
  policy: unlisted<Run['policy']>(),
  expires_at: nullable(Type.String()),
  replay_of: nullable(Type.String()),
  replayed_as: nullable(Type.String()),
  edited_at: nullable(Type.String()),
  concurrency: unlisted<Run['concurrency']>(),
  rate: unlisted<Run['rate']>(),
  attempts: Type.Array(attempt, { description: 'Finished attempts, oldest first.' }),
  possible_duplicate: Type.Boolean(),
  next_at: maybeText,
  waits_for: maybeText,
  worker_id: maybeText,
  claimed_at: maybeText,
  cancel_reason: maybeText,
  progress: Type.Optional(Type.Unknown()),
  started_at: maybeText,
  finished_at: maybeText,
  output: Type.Optional(Type.Unknown()),
  error: Type.Optional(failure),
  reason: maybeText,
  lateness_ms: Type.Optional(nullable(Type.Number())),
  resolved: Type.Optional(unlisted<FinishedRun['resolved']>()),
})

export function runToWire({ tenantId: _, ...run }: Run): Static<typeof runAnswer> {
  return { ...toWire(run), target: targetToWire(run.target) }
}

export const logLine = answer({
  attempt: Type.Integer(),
  seq: Type.Integer(),
  at: Type.String(),
  level: Type.String(),
  message: Type.String(),
  data: Type.Unknown(),
})
