/**
 * `punctual queues`: due, scheduled and running runs of each queue, runs that ended recently, and
 * pauses.
 */
import type { Queue } from '@punctual/core/queue'
import type { Command } from 'commander'
import { describePause } from '../../../queues/queues.ts'
import { showDuration } from '../../flags/durations.ts'
import { showTable } from '../../output/table.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openOperator } from '../../target/open-operator.ts'

export function addQueuesList(parent: Command): void {
  const command = parent
    .command('list', { isDefault: true })
    .description('list queues with their depth, age, throughput and pauses')
  addFlags(command, ['database', 'server'])
  command.action(() => perform(command, showQueues))
}

async function showQueues(context: CommandContext) {
  const { terminal, json } = context
  const punctual = await openOperator(context)
  const queues = await punctual.queues.list()
  if (json) {
    terminal.json(queues)
    return exit.ok
  }
  const pauses = await punctual.queues.pauses()
  if (queues.length === 0) terminal.line('No queues yet: no runs were submitted.')
  else showRows(context, queues)
  for (const pause of pauses) terminal.line(terminal.colors.yellow(describePause(pause)))
  return exit.ok
}

function showRows({ terminal }: CommandContext, queues: readonly Queue[]): void {
  const { green, red, yellow } = terminal.colors
  showTable(
    terminal,
    ['QUEUE', 'DUE', 'SCHEDULED', 'RUNNING', 'OLDEST DUE', 'ENDED IN THE LAST MINUTE'],
    queues.map((row) => {
      const words = Object.entries(row.endedLastMinute).map(([state, runs]) => {
        const text = `${runs} ${state}`
        return state === 'succeeded' ? green(text) : state === 'dead' ? red(text) : text
      })
      return [
        row.paused ? `${row.queue} ${yellow('(paused)')}` : row.queue,
        row.due,
        row.scheduled,
        row.running,
        row.due > 0 ? showDuration(row.oldestMs) : '-',
        words.join(', ') || '-',
      ]
    }),
  )
}
