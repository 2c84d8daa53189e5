/** `punctual workers`: the processes that run handlers. */
import type { Command } from 'commander'
import { showAge } from '../durations.ts'
import { exit } from '../exit-code.ts'
import { openPunctual } from '../open-punctual.ts'
import { type CommandContext, perform } from '../perform.ts'
import { addFlags } from '../setting-flags.ts'
import { showTable } from '../table.ts'

export function addWorkers(program: Command): void {
  const command = program
    .command('workers')
    .description('show the processes that run handlers, and which they have')
  addFlags(command, ['database'])
  command.action(() => perform(command, showWorkers))
}

async function showWorkers(context: CommandContext) {
  const { store } = await openPunctual(context)
  const sessions = await store.sessions()
  const { terminal } = context
  if (context.json) terminal.json(sessions)
  else if (sessions.length === 0)
    terminal.line('No workers. Start one with `punctual worker ./worker.ts`.')
  else {
    const nowMs = store.database.clock.nowMs()
    showTable(
      terminal,
      [
        'ID',
        'STATE',
        'HOST',
        'PID',
        'VERSION',
        'SLOTS',
        'UP SINCE',
        'HEARD OF',
        'QUEUES',
        'HANDLERS',
      ],
      sessions.map((it) => [
        it.id,
        it.alive ? it.state : terminal.colors.red('silent'),
        it.host,
        it.pid,
        it.version,
        it.capacity,
        showAge(it.openedAt, nowMs),
        showAge(it.renewedAt, nowMs),
        it.queues.join(', ') || 'all',
        it.handlers.join(', '),
      ]),
      ['VERSION', 'UP SINCE', 'SLOTS', 'QUEUES', 'ID'],
    )
  }
  return exit.ok
}
