/** `punctual runs edit <id> <payload>`: changes the payload of a run that was never attempted. */
import { checkJsonText } from '@punctual/core/check'
import type { Command } from 'commander'
import { readPayload } from '../../flags/read-input.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openPunctual } from '../../target/open-punctual.ts'

const messages = {
  edited: 'Edited.',
  attempted: 'The run was already attempted. Its payload stays; cancel it and submit another run.',
  running: 'The run is running. Only a run that was never attempted can be edited.',
  already_finished: 'The run has already ended. Submit another one instead.',
} as const

export function addRunsEdit(parent: Command): void {
  const command = parent
    .command('edit')
    .description('change the payload of a run that was never attempted')
    .argument('<id>', 'id of the run')
    .argument('<payload>', 'JSON; @file reads a file, - reads standard input')
  addFlags(command, ['database'])
  command.action((id: string, payload: string) =>
    perform(command, (context) => editRun(context, id, payload)),
  )
}

async function editRun(context: CommandContext, id: string, argument: string) {
  const { terminal, json, config } = context
  const payload = checkJsonText(readPayload(argument), 'payload', config.payloadBytes)
  const { runs } = await openPunctual(context)
  const result = await runs.edit(id, { payload })
  if (json) terminal.json({ id, result })
  else terminal.line(messages[result])
  return result === 'edited' ? exit.ok : exit.failure
}
