/**
 * `punctual dead replay`: runs dead letters again, one by id, or many by filter at a limited pace.
 */
import { checkJsonText } from '@punctual/core/check'
import type { ReplayManyResult, ReplayPace, ReplayProgress } from '@punctual/core/dead-letter'
import { PunctualError } from '@punctual/core/errors'
import type { Command } from 'commander'
import { parseCount } from '../../flags/counts.ts'
import { createdBy } from '../../flags/created-by.ts'
import {
  addDeadLetterFlags,
  type DeadLetterFlags,
  deadLetterFilter,
  refuseFlagsOfMany,
} from '../../flags/dead-letter-flags.ts'
import { readPayload } from '../../flags/read-input.ts'
import { createProgressLine } from '../../output/progress-line.ts'
import { exit } from '../../runtime/exit-code.ts'
import type { Operator } from '../../runtime/operator.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import type { Terminal } from '../../runtime/terminal.ts'
import { openOperator } from '../../target/open-operator.ts'

const LIMIT_MAX = 100_000

interface Flags extends DeadLetterFlags {
  payload?: string
  fromCheckpoint?: true
  note?: string
  all?: true
  limit?: string
  perSecond?: string
  canary?: string
  stopAtFailureRate?: string
  minEnded?: string
  dryRun?: true
}

export function addDeadReplay(parent: Command): void {
  const command = parent
    .command('replay')
    .description('run dead letters again as new runs: one, or all that match at a limited pace')
    .argument('[id]', 'id of one dead letter')
    .option('--payload <json>', 'new payload, with an id: JSON, @file, or - for standard input')
    .option('--from-checkpoint', 'resume from the last checkpoint, if the run has one')
    .option('--note <text>', 'note kept with the dead letters')
  addDeadLetterFlags(command)
    .option('--all', 'every open dead letter; required when no filter is given')
    .option('--limit <n>', `replay at most this many, up to ${LIMIT_MAX} (default: 10000)`)
    .option('--per-second <n>', 'replay this many per second (default: 50)')
    .option('--canary <n>', 'replay this many first; the rest wait until these have ended')
    .option(
      '--stop-at-failure-rate <fraction>',
      'stop when more than this fraction (0 to 1) of the ended replays are dead',
    )
    .option('--min-ended <n>', 'apply the failure rate once this many have ended (default: 10)')
    .option('--dry-run', 'show how many match and change nothing')
  addFlags(command, ['database', 'server'])
  const options = { handlesInterrupts: true }
  command.action((id: string | undefined, flags: Flags) =>
    perform(command, (context) => replay(context, id, flags), options),
  )
}

async function replay(context: CommandContext, id: string | undefined, flags: Flags) {
  const pace = paceOf(flags)
  if (id !== undefined) refuseFlagsOfMany(flags)
  else if (flags.payload !== undefined)
    throw new PunctualError('invalid_option', '--payload needs the id of a dead letter.', {
      field: '--payload',
    })
  const punctual = await openOperator(context)
  return id === undefined
    ? replayMany(context, punctual, flags, pace)
    : replayOne(context, punctual, id, flags)
}

async function replayOne(context: CommandContext, punctual: Operator, id: string, flags: Flags) {
  const { terminal, json, config } = context
  const { payload } = flags
  const answer = await punctual.deadLetters.replay(id, {
    ...handling(flags),
    ...(payload !== undefined && {
      payload: checkJsonText(readPayload(payload), 'payload', config.payloadBytes),
    }),
  })
  if (json) terminal.json(answer)
  else if (answer.result === 'replayed') terminal.line(`Submitted ${answer.id}`)
  else if (answer.result === 'key_busy')
    terminal.line(`A live run holds its key ${JSON.stringify(answer.key)}: ${answer.heldBy ?? '-'}`)
  else {
    const { as, at, replayedAs } = answer.handled
    terminal.line(`Already ${as}${replayedAs ? ` as ${replayedAs}` : ''} at ${at.toISOString()}.`)
  }
  return answer.result === 'replayed' ? exit.ok : exit.failure
}

async function replayMany(
  context: CommandContext,
  punctual: Operator,
  flags: Flags,
  pace: ReplayPace,
) {
  const { terminal, json, interrupts } = context
  const progress = createProgressLine()
  const result = await punctual.deadLetters.replayMany(await deadLetterFilter(flags, punctual), {
    ...{ ...pace, ...handling(flags), signal: interrupts.signal },
    onProgress: (now) => progress?.show(describe(now)),
    ...(flags.all && { all: true }),
    ...(flags.limit !== undefined && { limit: parseCount('--limit', flags.limit, LIMIT_MAX) }),
    ...(flags.dryRun && { dryRun: true }),
  })
  progress?.clear()
  if (json) terminal.json(result)
  else if (flags.dryRun) terminal.line(`${result.wanted} of ${result.matching} would be replayed.`)
  else showResult(terminal, result)
  if (result.stopped === 'aborted') return exit.interrupted
  return result.stopped === null ? exit.ok : exit.failure
}

function describe({ wanted, replayed, alreadyHandled, keyBusy, ended, failed }: ReplayProgress) {
  const parts = [`Replayed ${replayed} of ${wanted}`]
  if (ended > 0) parts.push(`${ended} ended, ${failed} of them dead`)
  if (alreadyHandled > 0) parts.push(`${alreadyHandled} already closed by others`)
  if (keyBusy > 0) parts.push(`${keyBusy} still open because a live run holds their key`)
  return parts.join('; ')
}

function showResult({ line, colors }: Terminal, result: ReplayManyResult): void {
  line(`${describe(result)}.`)
  if (result.stopped === 'failure_rate')
    line(colors.red('Stopped: too many replays failed. The remaining dead letters stay open.'))
  if (result.stopped === 'aborted') line('Stopped. The remaining dead letters stay open.')
}

function handling({ note, fromCheckpoint }: Flags) {
  return {
    by: createdBy(),
    ...(note !== undefined && { note }),
    ...(fromCheckpoint && { fromCheckpoint: true }),
  }
}

function paceOf(flags: Flags): ReplayPace {
  const { perSecond, canary, stopAtFailureRate, minEnded } = flags
  return {
    ...(perSecond !== undefined && { perSecond: numberOf('--per-second', perSecond) }),
    ...(canary !== undefined && { canary: parseCount('--canary', canary, LIMIT_MAX) }),
    ...(stopAtFailureRate !== undefined && {
      stopAtFailureRate: numberOf('--stop-at-failure-rate', stopAtFailureRate),
    }),
    ...(minEnded !== undefined && { minEnded: parseCount('--min-ended', minEnded, LIMIT_MAX) }),
  }
}

function numberOf(flag: string, text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  const shown = JSON.stringify(text.slice(0, 80))
  throw new PunctualError('invalid_option', `${flag} must be a number; got ${shown}.`, {
    field: flag,
  })
}
