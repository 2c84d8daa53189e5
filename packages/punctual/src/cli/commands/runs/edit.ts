/** `punctual runs edit <id> <payload>`: gives a run that was never tried another payload. */
import { checkJsonText } from '@punctual/core/check'
import type { Command } from 'commander'
import { readPayload } from '../../flags/submit-flags.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openPunctual } from '../../target/open-punctual.ts'

const messages = {
  edited: 'Edited.',
  attempted: 'An attempt was made at it already: its payload stays. Cancel it and submit another.',
  running: 'It is running: only a run that was never tried can be edited.',
  already_finished: 'It has ended already; submit another instead.',
} as const

export function addRunsEdit(parent: Command): void {
  const command = parent
    .command('edit')
    .description('give a run that was never tried another payload')
    .argument('<id>', 'the id of the run')
    .argument('<payload>', 'JSON; @file reads a file, - reads the input')
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
