/** Checks group options and turns them into submissions. */
import { checkText, encodeJson, refuseOption } from '@punctual/core/check'
import { limits, PunctualError } from '@punctual/core/errors'
import { callbackPayload, finalStates, type GroupResult } from '@punctual/core/run'
import {
  compileOptions,
  makeSubmission,
  type Submission,
  type SubmitOptions,
} from '@punctual/core/submit'
import type { GroupCallback } from '@punctual/store'
import type { Handlers } from '../handlers/handlers.ts'
import { at, atLater } from '../submit/submit-call.ts'
import type { GroupRun } from './handle.ts'

/** The run that is submitted once, when the group is done. */
export interface GroupCallbackOptions {
  /** The name of its handler. */
  handler: string
  /** Passed to the handler as `payload`, alongside `group`. @default null */
  payload?: unknown
  /**
   * The options of `submit` without `key` and `strict`: it is submitted once, even if no worker has
   * its handler.
   */
  options?: Omit<SubmitOptions, 'key' | 'strict'>
}

/** A group to submit. */
export interface GroupOptions {
  /** Display name; need not be unique. */
  name?: string
  /** Up to 10,000 members; add more to an open group. @default none */
  runs?: readonly GroupRun[]
  /**
   * The run to submit when the group is closed and all members have ended, in any final state.
   * @default none
   */
  onDone?: GroupCallbackOptions
  /** Whether runs can be added until the group is closed. @default false */
  open?: boolean
}

const NO_RESULT: GroupResult = {
  ...{ id: '', name: null, total: 0 },
  ...(Object.fromEntries(Object.keys(finalStates).map((state) => [state, 0])) as Record<
    keyof typeof finalStates,
    number
  >),
}

/** Refuses a value that is not an object with only these fields. */
function checkFields(field: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    refuseOption(field, `an object of ${known.join(', ')}`, given)
  for (const name of Object.keys(given))
    if (!known.includes(name))
      refuseOption(
        field,
        `an object with only ${known.join(', ')}`,
        name.slice(0, limits.nameLength),
      )
}

export function checkGroup(options: GroupOptions): {
  readonly name: string | null
  readonly open: boolean
} {
  checkFields('group', options, ['name', 'runs', 'onDone', 'open'])
  const { name, open = false } = options
  if (typeof open !== 'boolean') refuseOption('open', 'true or false', open)
  return { name: name === undefined ? null : checkText('name', name, limits.nameLength), open }
}

export async function groupSubmissions(
  runs: readonly GroupRun[],
  handlers: Handlers,
  payloadBytes: number,
): Promise<Submission[]> {
  if (!Array.isArray(runs) || runs.length > limits.batchSize)
    throw new PunctualError(
      'invalid_option',
      `runs must be an array of at most ${limits.batchSize}; add more to an open group.`,
      { field: 'runs' },
    )
  const submissions = Array.from(runs, (run: GroupRun, i) =>
    at(i, () => {
      checkFields('run', run, ['handler', 'payload', 'options'])
      const payload = encodeJson(run.payload, 'payload', payloadBytes)
      return makeSubmission(compileOptions(run.handler, run.options), payload)
    }),
  )
  for (const [i, { handler, payload }] of runs.entries())
    if (typeof handler === 'string') await atLater(i, handlers.checkPayload(handler, payload))
  return submissions
}

/**
 * The callback as it is stored until the group is done. A callback that could not be submitted is
 * refused now.
 */
export function groupCallback(
  onDone: GroupCallbackOptions | undefined,
  payloadBytes: number,
): GroupCallback | null {
  if (onDone === undefined) return null
  checkFields('onDone', onDone, ['handler', 'payload', 'options'])
  const options: SubmitOptions = onDone.options ?? {}
  for (const name of ['key', 'strict'] as const)
    if (options?.[name] !== undefined)
      refuseOption(
        `onDone.options.${name}`,
        'left out: the callback is submitted once',
        options[name],
      )
  // Checked in the form in which it is read back.
  compileOptions(onDone.handler, options)
  const call = JSON.stringify({ handler: onDone.handler, options })
  const payload = encodeJson(onDone.payload ?? null, 'onDone.payload', payloadBytes)
  const kept = JSON.parse(call) as { handler: string; options: SubmitOptions }
  makeSubmission(compileOptions(kept.handler, kept.options), callbackPayload(NO_RESULT, payload))
  return { call, payload }
}
