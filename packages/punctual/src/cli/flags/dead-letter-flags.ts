/** The flags that select dead letters. */
import type { DeadLetterFilter } from '@punctual/core/dead-letter'
import { PunctualError } from '@punctual/core/errors'
import type { Command } from 'commander'
import type { Operator } from '../runtime/operator.ts'
import { parseInstantIn } from './instants.ts'

export interface DeadLetterFlags {
  queue?: string
  handler?: string
  job?: string
  fingerprint?: string
  like?: string
  diedOf?: string
  from?: string
  before?: string
}

export function addDeadLetterFlags(command: Command): Command {
  return command
    .option('--queue <name>', 'only of this queue')
    .option('--handler <name>', 'only of this handler')
    .option('--job <job>', 'only of this job, by name or id')
    .option('--fingerprint <text>', 'only with this fingerprint, as `dead causes` shows it')
    .option('--like <id>', 'only with the same cause as this dead letter')
    .option('--died-of <reason>', 'only with this reason, such as attempts_exhausted')
    .option('--from <time>', 'only those that died at or after this time: 2030-01-31T12:00Z, -2h')
    .option('--before <time>', 'only those that died before this time')
}

/** Dependencies of the filter: the lookup of --like, and the clock. */
export interface DeadLetterReader {
  readonly deadLetters: Pick<Operator['deadLetters'], 'get'>
  nowMs(): number
}

export async function deadLetterFilter(
  flags: DeadLetterFlags,
  { nowMs: now, deadLetters }: DeadLetterReader,
): Promise<DeadLetterFilter> {
  const { queue, handler, job, like } = flags
  if (like !== undefined && flags.fingerprint !== undefined)
    throw new PunctualError('invalid_option', '--like and --fingerprint exclude each other.', {
      field: '--like',
    })
  const fingerprint =
    like === undefined ? flags.fingerprint : await fingerprintOf(deadLetters, like)
  const nowMs = now()
  const instant = (flag: string, text: string) => parseInstantIn(flag, text, 'UTC', nowMs)
  return {
    ...(queue !== undefined && { queue }),
    ...(handler !== undefined && { handler }),
    ...(job !== undefined && { job }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(flags.diedOf !== undefined && { reason: flags.diedOf }),
    ...(flags.from !== undefined && { diedFrom: instant('--from', flags.from) }),
    ...(flags.before !== undefined && { diedBefore: instant('--before', flags.before) }),
  }
}

const many = {
  ...{ queue: '--queue', handler: '--handler', job: '--job', fingerprint: '--fingerprint' },
  ...{ like: '--like', diedOf: '--died-of', from: '--from', before: '--before', all: '--all' },
  ...{ limit: '--limit', dryRun: '--dry-run', perSecond: '--per-second', canary: '--canary' },
  ...{ stopAtFailureRate: '--stop-at-failure-rate', minEnded: '--min-ended' },
} as const

/** With an id, flags that filter, limit or pace many dead letters are mistakes. */
export function refuseFlagsOfMany(flags: object): void {
  for (const [name, flag] of Object.entries(many))
    if ((flags as Record<string, unknown>)[name] !== undefined)
      throw new PunctualError('invalid_option', `${flag} cannot be combined with an id.`, {
        field: flag,
      })
}

async function fingerprintOf(
  deadLetters: DeadLetterReader['deadLetters'],
  id: string,
): Promise<string> {
  const deadLetter = await deadLetters.get(id)
  if (deadLetter) return deadLetter.fingerprint
  throw new PunctualError('dead_letter_not_found', `Run ${id} is not a dead letter.`, { id })
}
