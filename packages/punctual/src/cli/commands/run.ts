/**
 * `punctual run --http <url>`: performs a target once, prints the log as it is written, and then
 * the result. A node with the kind of target performs it.
 */
import { checkJsonText } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import { runOptions } from '@punctual/core/submit'
import type { Command } from 'commander'
import { addOptionFlags, type FlagValues } from '../flags/option-flags.ts'
import { readPayload } from '../flags/read-input.ts'
import { submitOptions } from '../flags/submit-flags.ts'
import { followLog } from '../output/follow-log.ts'
import { exit } from '../runtime/exit-code.ts'
import { type CommandContext, perform } from '../runtime/perform.ts'
import { addFlags } from '../runtime/setting-flags.ts'
import { openOperator } from '../target/open-operator.ts'

export function addRun(program: Command): void {
  const command = program
    .command('run')
    .description('perform a target once, such as an HTTP request, and show its log')
    .argument('[payload]', 'JSON; @file reads a file, - reads standard input (default: null)')
  addFlags(addOptionFlags(command, runOptions), ['database', 'server'])
  command.action((payload: string | undefined, flags: FlagValues) =>
    perform(command, (context) => runTarget(context, payload, flags)),
  )
}

async function runTarget(context: CommandContext, payload: string | undefined, flags: FlagValues) {
  const { terminal, json, config } = context
  const { target, ...options } = submitOptions(flags, config.payloadBytes)
  if (target === undefined)
    throw new PunctualError(
      'invalid_option',
      'run needs a target, such as --http https://… or --shell. To run a handler, use submit.',
      { field: 'target' },
    )
  const text = payload === undefined ? 'null' : readPayload(payload)
  const value = checkJsonText(text, 'payload', config.payloadBytes)
  const punctual = await openOperator(context)
  const { id } = await punctual.submit(target, value, options)
  if (!json) terminal.note(`Submitted ${id}.`)
  const run = await followLog(context, punctual, id)
  if (json) terminal.json(run, { streaming: true })
  else if (run.output !== null) terminal.line(JSON.stringify(run.output))
  else if (run.error) terminal.line(`${run.error.name}: ${run.error.message}`)
  return run.state === 'succeeded' ? exit.ok : exit.notSucceeded
}
