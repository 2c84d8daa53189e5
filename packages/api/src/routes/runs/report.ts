/** Reports of the target of a run: that it succeeded, that it failed, how far it has come. */
import { limits, PunctualError } from '@punctual/core/errors'
import type { Caller } from '@punctual/core/identity'
import { finalStates } from '@punctual/core/run'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { answer, anyJson, exactly, idParam, oneOf, text, whole } from '../../wire/schemas.ts'

const reports = {
  method: 'POST',
  scope: 'report',
  tag: 'Runs',
  params: idParam,
  problems: ['run_not_found', 'already_finished', 'state_conflict', 'callback_token_invalid'],
} as const

const states = [...Object.keys(finalStates), 'retrying']
const reported = answer({
  id: Type.String(),
  state: oneOf(states, { description: '`retrying`: another attempt follows.' }),
})

/** The attempt that the caller speaks for; null for a key, which speaks for the one that awaits. */
function attemptOf({ attempt }: Caller, id: string): number | null {
  if (!attempt) return null
  if (attempt.runId === id) return attempt.attempt
  throw new PunctualError(
    'callback_token_invalid',
    `The token belongs to another run than ${id}.`,
    {
      id,
    },
  )
}

export const completeRun = defineRoute({
  ...reports,
  path: '/runs/:id/complete',
  summary: 'Reports that a run that awaits its target has succeeded',
  description:
    'The same report again gets the same answer. A report may arrive before the run is known to be `awaiting`.',
  body: exactly({ output: Type.Optional(anyJson('The output of the run.')) }),
  answer: reported,
  async handle({ tenant, caller, params: { id }, body }) {
    const report = { outcome: 'succeeded', output: body.output } as const
    return { id, state: await tenant.awaiting.report(id, attemptOf(caller, id), report) }
  },
})

export const failRun = defineRoute({
  ...reports,
  path: '/runs/:id/fail',
  summary: 'Reports that the attempt of a run that awaits its target has failed',
  description: 'The run is tried again by its retry policy, or is dead.',
  body: exactly({
    error: Type.Optional(
      exactly({
        name: Type.Optional(text(limits.nameLength)),
        message: Type.Optional(text(limits.errorMessageLength)),
        code: Type.Optional(text(limits.nameLength)),
      }),
    ),
    retryable: Type.Optional(Type.Boolean({ description: 'False: another attempt cannot help.' })),
    retry_after_ms: Type.Optional(
      whole(0, limits.delayMsMax, 'When to try again, at the earliest.'),
    ),
  }),
  answer: reported,
  async handle({ tenant, caller, params: { id }, body: { error, retryable, retry_after_ms } }) {
    const report = {
      outcome: 'failed',
      error: {
        ...{ name: 'TargetError', message: 'The target failed.', ...error },
        ...(retryable !== undefined && { retryable }),
      },
      ...(retry_after_ms !== undefined && { retryAfterMs: retry_after_ms }),
    } as const
    return { id, state: await tenant.awaiting.report(id, attemptOf(caller, id), report) }
  },
})

export const progressRun = defineRoute({
  ...reports,
  path: '/runs/:id/progress',
  summary: 'Shows how far a run that awaits its target has come',
  body: exactly({ progress: anyJson('Any value, by convention a number from 0 to 1.') }),
  answer: answer({ id: Type.String() }),
  async handle({ tenant, caller, params: { id }, body }) {
    await tenant.awaiting.reportProgress(id, attemptOf(caller, id), body.progress)
    return { id }
  },
})
