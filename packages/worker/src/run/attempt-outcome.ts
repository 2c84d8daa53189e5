/** Translates the ending of an attempt into the settlement that is stored. */
import { type Failure, isNonRetryable, isUnclear, retryAfterMs } from '@punctual/core/errors'
import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import {
  type AttemptOutcome,
  decideAfterFailure,
  decideAfterInterruption,
  decodeRunPolicy,
  traits,
} from '@punctual/core/run'
import { Awaiting } from '../handler/awaiting.ts'
import { failureWithout, type SecretReads, storedJson } from '../reports/secret-reads.ts'
import type { Ending } from './attempt-state.ts'

export interface OutcomeRules {
  readonly random: () => number
  readonly outputBytes: number
}

/** An ending whose settlement is not stored yet. */
export type OpenEnding = Exclude<Ending, { kind: 'committed' }>

export function settlementOf(
  ending: OpenEnding,
  run: ClaimedRun,
  startedAgoMs: number | null,
  secrets: SecretReads | undefined,
  rules: OutcomeRules,
): Settlement {
  switch (ending.kind) {
    case 'succeeded': {
      const { value } = ending
      if (Awaiting.isOne(value)) {
        const { timeoutMs = run.timeoutMs, statusUrl = null } = value.options
        return { kind: 'awaiting', run, startedAgoMs, timeoutMs, statusUrl }
      }
      if (value === undefined || value === null)
        return { kind: 'succeeded', run, startedAgoMs, output: null }
      let output: string
      try {
        output = storedJson(secrets, value, 'output', rules.outputBytes)
      } catch (error) {
        return afterFailure('failed', error, run, startedAgoMs, secrets, rules)
      }
      return { kind: 'succeeded', run, startedAgoMs, output }
    }
    case 'failed':
      return afterFailure(ending.outcome, ending.thrown, run, startedAgoMs, secrets, rules)
    case 'cancelled': {
      const failure = failureWithout(secrets, ending.thrown)
      return { kind: 'cancelled', run, startedAgoMs, failure, reason: ending.reason }
    }
    case 'abandoned':
      return abandoned(run, startedAgoMs, failureWithout(secrets, ending.reason))
  }
}

function abandoned(run: ClaimedRun, startedAgoMs: number | null, failure: Failure): Settlement {
  const outcome = 'cancelled'
  const next = decideAfterInterruption(run)
  if (next.kind === 'retry')
    return { kind: 'retry', run, startedAgoMs, outcome, failure, delayMs: 0 }
  return { kind: 'dead', run, startedAgoMs, outcome, failure, reason: next.reason }
}

function afterFailure(
  outcome: AttemptOutcome,
  thrown: unknown,
  run: ClaimedRun,
  startedAgoMs: number | null,
  secrets: SecretReads | undefined,
  rules: OutcomeRules,
): Settlement {
  const failure = failureWithout(secrets, thrown)
  const mustNotRepeat = (run.traits & traits.atMostOnce) !== 0
  if (mustNotRepeat && isUnclear(thrown))
    return { kind: 'unknown', run, startedAgoMs, outcome, failure, reason: 'unclear' }
  const next = decideAfterFailure(
    {
      outcome,
      codes: failure.code === undefined ? [failure.name] : [failure.code, failure.name],
      failures: run.attempt + 1 - run.crashes,
      maxAttempts: run.maxAttempts,
      nonRetryable: isNonRetryable(thrown),
      retryAfterMs: retryAfterMs(thrown),
    },
    decodeRunPolicy(run.policy),
    rules.random(),
  )
  if (next.kind === 'retry')
    return { kind: 'retry', run, startedAgoMs, outcome, failure, delayMs: next.delayMs }
  return { kind: 'dead', run, startedAgoMs, outcome, failure, reason: next.reason }
}
