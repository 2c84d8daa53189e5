/** `punctual runs reschedule <id> --at <time>`: gives a run that has not started another time. */
import type { Command } from 'commander'
import { parseMoment } from '../durations.ts'
import { exit } from '../exit-code.ts'
import { openPunctual } from '../open-punctual.ts'
import { type CommandContext, perform } from '../perform.ts'
import { addFlags } from '../setting-flags.ts'

const messages = {
  rescheduled: 'Rescheduled.',
  running: 'It is running: only a run that has not started can be moved.',
  already_finished: 'It has ended already; submit it again instead.',
} as const

export function addRunsReschedule(parent: Command): void {
  const command = parent
    .command('reschedule')
    .description('give a run that has not started another time')
    .argument('<id>', 'the id of the run')
    .requiredOption('--at <time>', 'when: 2030-01-31T12:00:00Z, or +5m from now')
  addFlags(command, ['database'])
  command.action((id: string, flags: { at: string }) =>
    perform(command, (context) => rescheduleRun(context, id, flags.at)),
  )
}

async function rescheduleRun(context: CommandContext, id: string, at: string) {
  parseMoment('--at', at, 0)
  const { runs, store } = await openPunctual(context)
  const runAt = parseMoment('--at', at, store.database.clock.nowMs())
  const result = await runs.reschedule(id, runAt)
  if (context.json) context.terminal.json({ id, result, runAt })
  else if (result === 'rescheduled')
    context.terminal.line(`${messages[result]} It is due at ${runAt.toISOString()}.`)
  else context.terminal.line(messages[result])
  return result === 'rescheduled' ? exit.ok : exit.failure
}
