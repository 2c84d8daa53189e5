/** `punctual jobs trigger <job>`: runs a job now, outside its schedule. */
import { checkJsonText } from '@punctual/core/check'
import type { Command } from 'commander'
import { readPayload } from '../../flags/read-input.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openOperator } from '../../target/open-operator.ts'

export function addJobsTrigger(parent: Command): void {
  const command = parent
    .command('trigger')
    .description('run a job now, outside its schedule, even if it is paused')
    .argument('<job>', 'name or id of the job')
    .option('--payload <json>', 'replaces its payload: JSON, @file, or - for standard input')
  addFlags(command, ['database', 'server'])
  command.action((name: string, flags: { payload?: string }) =>
    perform(command, (context) => triggerJob(context, name, flags.payload)),
  )
}

async function triggerJob(context: CommandContext, name: string, payload: string | undefined) {
  const { terminal, config } = context
  const options =
    payload === undefined
      ? {}
      : { payload: checkJsonText(readPayload(payload), 'payload', config.payloadBytes) }
  const punctual = await openOperator(context)
  const { id } = await punctual.jobs.trigger(name, options)
  if (context.json) terminal.json({ job: name, id })
  else terminal.line(`Submitted ${id}`)
  return exit.ok
}
