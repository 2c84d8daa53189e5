/**
 * Registers an executor as the handler of its kind, `@http` for `http`: from there on its runs are
 * claimed, limited, timed, cancelled, retried and settled like those of any handler.
 */
import { invariant } from '@punctual/core/errors'
import type { ClaimedRun } from '@punctual/core/ports'
import { targetFrom, traits } from '@punctual/core/run'
import { handlerOfKind, type Target } from '@punctual/core/target'
import type { Call, ExecutionOutcome, Executor } from '../executors/executor.ts'
import { errorOf, PreparationError, unclearOutcome } from '../executors/failed.ts'
import type { HandlerContext, RegisteredHandler } from '../handler/handler.ts'
import { AttemptContext } from '../run/attempt-context.ts'

export function executorHandler(executor: Executor): RegisteredHandler {
  return {
    name: handlerOfKind(executor.kind),
    // What a target does for a run that another worker has claimed by now must end.
    onLeaseLoss: 'abort',
    async run(payload: unknown, context: HandlerContext) {
      const run = claimedRun(context)
      const call = callOf(run, payload, context)
      const execution = await executor.prepare(targetOf(run, executor), call)
      context.signal.throwIfAborted()
      const outcome = await execution.execute(context.signal, run.fence.toString())
      return resultOf(outcome, call, context)
    },
  }
}

/** The context is that of an attempt: executors are registered by the worker, not by users. */
function claimedRun(context: HandlerContext): ClaimedRun {
  invariant(context instanceof AttemptContext, 'an executor is called with the context of a run')
  return context.run
}

function targetOf({ handler, policy, id }: ClaimedRun, { kind }: Executor): Target {
  const target = targetFrom(handler, policy)
  if (target.kind === kind) return target
  throw new PreparationError(
    'target_missing',
    `Run ${id} has the handler ${handler} and no target of the kind ${kind}.`,
  )
}

function callOf(run: ClaimedRun, payload: unknown, context: HandlerContext): Call {
  const { runId, queue, attempt, maxAttempts, idempotencyKey, dueAt, job, trace, log } = context
  return {
    ...{ runId, queue, attempt, maxAttempts, idempotencyKey, dueAt, job, trace, log, payload },
    tenantId: run.tenantId,
    timeoutMs: run.timeoutMs,
    atMostOnce: (run.traits & traits.atMostOnce) !== 0,
    secret: (name) => context.secret(name),
    heartbeat: () => context.heartbeat(),
    callback: () => context.callback(),
  }
}

/** Returns the output of a success, or that the run awaits its target; throws any failure. */
function resultOf(
  outcome: ExecutionOutcome,
  { atMostOnce }: Call,
  context: HandlerContext,
): unknown {
  switch (outcome.kind) {
    case 'succeeded':
      return outcome.output
    case 'failed': {
      const isUnclear = atMostOnce && outcome.reached === 'perhaps'
      throw isUnclear ? unclearOutcome(outcome) : errorOf(outcome)
    }
    case 'awaiting': {
      const { timeoutMs, statusUrl } = outcome
      return context.awaitCallback({
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...(statusUrl !== undefined && { statusUrl }),
      })
    }
  }
}
