/** The flags of `punctual submit`, as options of the library. */
import { userInfo } from 'node:os'
import { PunctualError } from '@punctual/core/errors'
import type { SubmitOptions } from '@punctual/core/submit'
import { type DeliveryFlags, deliveryOptions } from './delivery-flags.ts'
import { parseDuration, parseInstant } from './durations.ts'
import { type FlowFlags, flowOptions } from './flow-flags.ts'
import { parseInteger } from './integer.ts'
import { type KeyFlags, keyOptions } from './key-flags.ts'
import { readInput } from './read-input.ts'

export interface SubmitFlags extends DeliveryFlags, FlowFlags, KeyFlags {
  runAt?: string
  delay?: string
  expiresAt?: string
  priority?: string
  queue?: string
  maxAttempts?: string
  timeout?: string
  label?: string[]
  strict?: true
}

/** The JSON text of an argument: itself, the content of `@file`, or standard input for `-`. */
export function readPayload(argument: string): string {
  if (argument === '-') return readInput('The payload', '-')
  return argument.startsWith('@') ? readInput('The payload', argument.slice(1)) : argument
}

export function submitOptions(flags: SubmitFlags): SubmitOptions {
  const wholes = { priority: flags.priority, maxAttempts: flags.maxAttempts }
  const numbers = Object.entries(wholes).filter(([, text]) => text !== undefined)
  return {
    ...Object.fromEntries(
      numbers.map(([name, text]) => [name, parseInteger(name, text as string)]),
    ),
    ...timeOf(flags),
    ...(flags.expiresAt !== undefined && {
      expiresAt: parseInstant('--expires-at', flags.expiresAt, Date.now()),
    }),
    ...(flags.timeout !== undefined && { timeoutMs: parseDuration('--timeout', flags.timeout) }),
    ...(flags.queue !== undefined && { queue: flags.queue }),
    ...(flags.label !== undefined && { labels: labelsOf(flags.label) }),
    ...(flags.strict && { strict: true }),
    ...deliveryOptions(flags),
    ...flowOptions(flags),
    ...keyOptions(flags),
    createdBy: createdBy(),
  }
}

/** A time from now is sent as a delay, because the database's clock measures it. */
function timeOf({ runAt, delay }: SubmitFlags): Pick<SubmitOptions, 'runAt' | 'delayMs'> {
  const relative = runAt?.startsWith('+') && delay === undefined ? runAt.slice(1) : delay
  return {
    ...(relative !== undefined && {
      delayMs: parseDuration(delay ? '--delay' : '--run-at', relative),
    }),
    ...(runAt !== undefined &&
      relative !== runAt.slice(1) && { runAt: parseInstant('--run-at', runAt, Date.now()) }),
  }
}

export function labelsOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, value] = pair.split(/=(.*)/s)
      if (name && value !== undefined) return [name, value]
      const shown = JSON.stringify(pair.slice(0, 80))
      throw new PunctualError('invalid_option', `--label must be name=value; got ${shown}.`, {
        field: '--label',
      })
    }),
  )
}

/** The user at the command line. Containers may run as a user without a name. */
export function createdBy(): string {
  try {
    return `cli:${userInfo().username}`
  } catch {
    return `cli:${process.getuid?.() ?? 'unknown'}`
  }
}
