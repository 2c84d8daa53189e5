/** `punctual submit <handler> [payload]`: submits one run, and waits for its end with `--wait`. */
import { checkJsonText } from '@punctual/core/check'
import type { FinishedRun } from '@punctual/core/run'
import { runOptions } from '@punctual/core/submit'
import type { Command } from 'commander'
import { parseDuration, showDuration } from '../flags/durations.ts'
import { addOptionFlags, type FlagValues } from '../flags/option-flags.ts'
import { readPayload } from '../flags/read-input.ts'
import { submitOptions } from '../flags/submit-flags.ts'
import { keyAnswer } from '../output/key-answer.ts'
import { stateColour } from '../output/state-colour.ts'
import { exit } from '../runtime/exit-code.ts'
import { type CommandContext, perform } from '../runtime/perform.ts'
import { addFlags } from '../runtime/setting-flags.ts'
import type { Terminal } from '../runtime/terminal.ts'
import { openOperator } from '../target/open-operator.ts'

interface Flags extends FlagValues {
  wait?: true
  waitTimeout?: string
}

/** A target is performed with `punctual run`. */
const { target: _, ...flagsOfHandlers } = runOptions

export function addSubmit(program: Command): void {
  const command = program
    .command('submit')
    .description('submit one run of a handler')
    .argument('<handler>', 'name of the handler')
    .argument('[payload]', 'JSON; @file reads a file, - reads standard input (default: null)')
  addOptionFlags(command, flagsOfHandlers)
    .option('--wait', 'wait until the run has ended, and show its result')
    .option('--wait-timeout <time>', 'stop waiting after this long; the run continues')
  addFlags(command, ['database', 'server'])
  command.action((handler: string, payload: string | undefined, flags: Flags) =>
    perform(command, (context) => submitRun(context, handler, payload, flags)),
  )
}

async function submitRun(
  context: CommandContext,
  handler: string,
  payload: string | undefined,
  flags: Flags,
) {
  const { terminal, json } = context
  const value =
    payload === undefined
      ? null
      : checkJsonText(readPayload(payload), 'payload', context.config.payloadBytes)
  const options = submitOptions(flags, context.config.payloadBytes)
  const timeoutMs = flags.waitTimeout && parseDuration('--wait-timeout', flags.waitTimeout)
  const punctual = await openOperator(context)
  const submitted = await punctual.submit(handler, value, options)
  if (!flags.wait) {
    if (json) terminal.json(submitted)
    else terminal.line(keyAnswer(submitted))
    return exit.ok
  }
  if (!json) terminal.note(`Submitted ${submitted.id}; waiting for it to end.`)
  const run = await punctual.runs.waitFor(submitted.id, {
    signal: context.interrupts.signal,
    ...(timeoutMs && { timeoutMs }),
  })
  if (json) terminal.json({ ...submitted, run })
  else showEnd(terminal, run)
  return run.state === 'succeeded' ? exit.ok : exit.notSucceeded
}

function showEnd(terminal: Terminal, run: FinishedRun): void {
  const tries = run.attempts.length === 1 ? '1 attempt' : `${run.attempts.length} attempts`
  const took = showDuration(run.finishedAt.getTime() - run.createdAt.getTime())
  terminal.line(`${stateColour(terminal.colors, run.state)} after ${tries}, ${took}`)
  if (run.output !== null) terminal.line(JSON.stringify(run.output))
  if (run.error) terminal.line(`${run.error.name}: ${run.error.message}`)
}
