/** `punctual dead replay`: runs dead ones again, one by its id or many by what they have, at a pace. */
import { checkJsonText } from '@punctual/core/check'
import type { ReplayPace } from '@punctual/core/dead-letter'
import { PunctualError } from '@punctual/core/errors'
import type { Command } from 'commander'
import type { ReplayManyResult, ReplayProgress } from '../../../dead-letters/replay-many.ts'
import { parseCount } from '../../flags/counts.ts'
import {
  addDeadLetterFlags,
  type DeadLetterFlags,
  deadLetterFilter,
  refuseFlagsOfMany,
} from '../../flags/dead-letter-flags.ts'
import { createdBy, readPayload } from '../../flags/submit-flags.ts'
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
    .description('run dead ones again: one, or at a pace all that match; each becomes a new run')
    .argument('[id]', 'the id of one run')
    .option('--payload <json>', 'of one: instead of its own, JSON, @file, or - for the input')
    .option('--from-checkpoint', 'go on from the last checkpoint, where there is one')
    .option('--note <text>', 'kept with the dead letters')
  addDeadLetterFlags(command)
    .option('--all', 'every open one, when nothing else narrows it')
    .option('--limit <n>', `at most so many, up to ${LIMIT_MAX} (default: 10000)`)
    .option('--per-second <n>', 'how many are released in a second (default: 50)')
    .option('--canary <n>', 'so many go first; the others wait until these have ended')
    .option(
      '--stop-at-failure-rate <part>',
      'stop when more than this part (0 to 1) of those that ended are dead',
    )
    .option('--min-ended <n>', 'how many must have ended before that is judged (default: 10)')
    .option('--dry-run', 'only count them')
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
    throw new PunctualError('invalid_option', '--payload is for one run: name its id.', {
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
    terminal.line(`A live run has its key ${JSON.stringify(answer.key)}: ${answer.heldBy ?? '-'}`)
  else {
    const { as, at, replayedAs } = answer.handled
    terminal.line(`It was ${as}${replayedAs ? ` as ${replayedAs}` : ''} at ${at.toISOString()}.`)
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
  if (ended > 0) parts.push(`${ended} have ended, ${failed} of them dead`)
  if (alreadyHandled > 0) parts.push(`${alreadyHandled} were handled by others`)
  if (keyBusy > 0) parts.push(`${keyBusy} stay open, because a live run has their key`)
  return parts.join('; ')
}

function showResult({ line, colors }: Terminal, result: ReplayManyResult): void {
  line(`${describe(result)}.`)
  if (result.stopped === 'failure_rate')
    line(colors.red('Stopped: too many of the replays have failed. The others stay open.'))
  if (result.stopped === 'aborted') line('Stopped. The others stay open.')
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
