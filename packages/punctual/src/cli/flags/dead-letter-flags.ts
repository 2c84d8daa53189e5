/** The flags that say which dead letters are meant. */
import type { DeadLetterFilter } from '@punctual/core/dead-letter'
import { PunctualError } from '@punctual/core/errors'
import type { Command } from 'commander'
import type { Operator } from '../runtime/operator.ts'
import { parseMomentIn } from './instants.ts'

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
    .option('--job <name>', 'only of this job, by name or id')
    .option('--fingerprint <text>', 'only what died of this, as `dead causes` shows it')
    .option('--like <id>', 'only what died of the same as this one')
    .option('--died-of <reason>', 'only for this reason, such as attempts_exhausted')
    .option('--from <time>', 'only what died from then on: 2030-01-31T12:00Z, or -2h')
    .option('--before <time>', 'only what died before that')
}

/** What it takes to know which are meant. */
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
  const moment = (flag: string, text: string) => parseMomentIn(flag, text, 'UTC', nowMs)
  return {
    ...(queue !== undefined && { queue }),
    ...(handler !== undefined && { handler }),
    ...(job !== undefined && { job }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(flags.diedOf !== undefined && { reason: flags.diedOf }),
    ...(flags.from !== undefined && { diedFrom: moment('--from', flags.from) }),
    ...(flags.before !== undefined && { diedBefore: moment('--before', flags.before) }),
  }
}

const many = {
  ...{ queue: '--queue', handler: '--handler', job: '--job', fingerprint: '--fingerprint' },
  ...{ like: '--like', diedOf: '--died-of', from: '--from', before: '--before', all: '--all' },
  ...{ limit: '--limit', dryRun: '--dry-run', perSecond: '--per-second', canary: '--canary' },
  ...{ stopAtFailureRate: '--stop-at-failure-rate', minEnded: '--min-ended' },
} as const

/** One run is named by its id: what narrows or paces many is a mistake beside it. */
export function refuseFlagsOfMany(flags: object): void {
  for (const [name, flag] of Object.entries(many))
    if ((flags as Record<string, unknown>)[name] !== undefined)
      throw new PunctualError('invalid_option', `${flag} is for many: leave out the id.`, {
        field: flag,
      })
}

async function fingerprintOf(
  letters: DeadLetterReader['deadLetters'],
  id: string,
): Promise<string> {
  const letter = await letters.get(id)
  if (letter) return letter.fingerprint
  throw new PunctualError('dead_letter_not_found', `Run ${id} is no dead letter.`, { id })
}
