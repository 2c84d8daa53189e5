/** `punctual queues`: how much waits and runs in each queue, and what ended in the last minute. */
import type { FinalState } from '@punctual/core'
import type { LaneDepth } from '@punctual/store'
import type { Command } from 'commander'
import { showDuration } from '../durations.ts'
import { exit } from '../exit-code.ts'
import { openPunctual } from '../open-punctual.ts'
import { type CommandContext, perform } from '../perform.ts'
import { addFlags } from '../setting-flags.ts'
import { showTable } from '../table.ts'

const LAST_SECONDS = 60

interface QueueRow {
  readonly queue: string
  readonly paused: boolean
  readonly due: number
  readonly scheduled: number
  readonly running: number
  readonly oldestMs: number
  readonly endedLastMinute: Partial<Record<FinalState, number>>
  readonly lanes: readonly LaneDepth[]
}

export function addQueues(program: Command): void {
  const command = program
    .command('queues')
    .description('show depth, age and throughput of each queue')
  addFlags(command, ['database'])
  command.action(() => perform(command, showQueues))
}

async function showQueues(context: CommandContext) {
  const { store } = await openPunctual(context)
  const [depths, ended] = await Promise.all([store.depths(), store.endedSince(LAST_SECONDS)])
  const queues = sumByQueue(depths, ended)
  if (context.json) context.terminal.json(queues)
  else if (queues.length === 0) context.terminal.line('No queues yet: nothing was submitted.')
  else showRows(context, queues)
  return exit.ok
}

function sumByQueue(
  depths: readonly LaneDepth[],
  ended: readonly { queue: string; state: FinalState; runs: number }[],
): QueueRow[] {
  const names = [...new Set(depths.map((lane) => lane.queue))]
  return names.map((queue) => {
    const lanes = depths.filter((lane) => lane.queue === queue)
    const sum = (of: (lane: LaneDepth) => number) => lanes.reduce((total, it) => total + of(it), 0)
    return {
      queue,
      paused: lanes.every((lane) => lane.paused),
      due: sum((lane) => lane.due),
      scheduled: sum((lane) => lane.waiting),
      running: sum((lane) => lane.running),
      oldestMs: Math.max(...lanes.map((lane) => (lane.due > 0 ? lane.oldestMs : 0))),
      endedLastMinute: Object.fromEntries(
        ended.filter((it) => it.queue === queue).map(({ state, runs }) => [state, runs]),
      ),
      lanes,
    }
  })
}

function showRows({ terminal }: CommandContext, queues: readonly QueueRow[]): void {
  const { green, red } = terminal.colors
  showTable(
    terminal,
    ['QUEUE', 'DUE', 'SCHEDULED', 'RUNNING', 'OLDEST DUE', 'ENDED IN THE LAST MINUTE'],
    queues.map((row) => {
      const words = Object.entries(row.endedLastMinute).map(([state, runs]) => {
        const text = `${runs} ${state}`
        return state === 'succeeded' ? green(text) : state === 'dead' ? red(text) : text
      })
      return [
        row.paused ? `${row.queue} (paused)` : row.queue,
        row.due,
        row.scheduled,
        row.running,
        row.due > 0 ? showDuration(row.oldestMs) : '-',
        words.join(', ') || '-',
      ]
    }),
  )
}
