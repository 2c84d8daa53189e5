/** `punctual submit <handler> [payload]`: submits one run, and waits for its end with `--wait`. */
import { checkJsonText } from '@punctual/core/check'
import type { FinishedRun } from '@punctual/core/run'
import type { Command } from 'commander'
import { addDeliveryFlags } from '../flags/delivery-flags.ts'
import { parseDuration, showDuration } from '../flags/durations.ts'
import { addFlowFlags } from '../flags/flow-flags.ts'
import { addKeyFlags, keyAnswer } from '../flags/key-flags.ts'
import { readPayload, type SubmitFlags, submitOptions } from '../flags/submit-flags.ts'
import { stateColour } from '../output/state-colour.ts'
import { exit } from '../runtime/exit-code.ts'
import { type CommandContext, perform } from '../runtime/perform.ts'
import { addFlags } from '../runtime/setting-flags.ts'
import type { Terminal } from '../runtime/terminal.ts'
import { openOperator } from '../target/open-operator.ts'

interface Flags extends SubmitFlags {
  wait?: true
  waitTimeout?: string
}

export function addSubmit(program: Command): void {
  const command = program
    .command('submit')
    .description('submit one run of a handler')
    .argument('<handler>', 'name of the handler')
    .argument('[payload]', 'JSON; @file reads a file, - reads standard input (default: null)')
    .option('--run-at <time>', 'run at this time: 2030-01-31T12:00:00Z, or +5m from now')
    .option('--delay <time>', 'run after this long: 500ms, 10s, 5m, 2h, 1d')
    .option(
      '--expires-at <time>',
      'do not start after this time, or +5m from now (default: never expires)',
    )
    .option('--priority <n>', '0 to 10, higher first (default: 5)')
    .option('--queue <name>', 'the queue (default: default)')
    .option('--max-attempts <n>', 'attempts, including the first (default: 3)')
    .option('--timeout <time>', 'time limit of one attempt (default: 5m)')
    .option('--label <name=value...>', 'label for finding the run; may be repeated')
    .option('--strict', 'refuse when no live worker has the handler')
    .option('--wait', 'wait until the run has ended, and show its result')
    .option('--wait-timeout <time>', 'stop waiting after this long; the run continues')
  addFlags(addFlowFlags(addDeliveryFlags(addKeyFlags(command))), ['database', 'server'])
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
  const options = submitOptions(flags)
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
