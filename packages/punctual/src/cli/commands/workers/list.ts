/** `punctual workers`: the processes that run handlers, also those that left in the last day. */
import type { Command } from 'commander'
import type { WorkerProcess, WorkerState } from '../../../queues/workers.ts'
import { showAge, showDuration } from '../../flags/durations.ts'
import { showTable } from '../../output/table.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import type { Terminal } from '../../runtime/terminal.ts'
import { openPunctual } from '../../target/open-punctual.ts'

const HEAD = ['ID', 'STATE', 'HOST', 'PID', 'RUNNING', 'FAILED', 'VERSION', 'UP SINCE', 'HEARD OF']
const STUCK_SHOWN = 20

export function addWorkersList(parent: Command): void {
  const command = parent
    .command('list', { isDefault: true })
    .description('show the processes that run handlers, which they have, and those that left today')
  addFlags(command, ['database'])
  command.action(() => perform(command, showWorkers))
}

async function showWorkers(context: CommandContext) {
  const { terminal, json } = context
  const punctual = await openPunctual(context)
  const workers = await punctual.workers.list()
  const nowMs = punctual.store.database.clock.nowMs()
  if (json) terminal.json(workers)
  else if (workers.length === 0)
    terminal.line('No workers. Start one with `punctual worker ./worker.ts`.')
  else {
    showRows(terminal, workers, nowMs)
    showStuck(terminal, workers)
  }
  return exit.ok
}

function showRows(terminal: Terminal, workers: readonly WorkerProcess[], nowMs: number): void {
  const colour = { active: 'green', draining: 'yellow', lost: 'red', offline: 'dim' } as const
  const shown = (state: WorkerState, fenced: boolean) =>
    terminal.colors[colour[state]](fenced ? `${state} (fenced)` : state)
  showTable(
    terminal,
    [...HEAD, 'QUEUES', 'HANDLERS'],
    workers.map((it) => [
      it.id,
      shown(it.state, it.fenced),
      it.host,
      it.pid,
      it.state === 'offline' ? '-' : `${it.running} of ${it.capacity}`,
      showRate(it),
      it.version,
      showAge(it.openedAt, nowMs),
      showAge(it.renewedAt ?? (it.endedAt as Date), nowMs),
      it.queues.join(', ') || 'all',
      it.handlers.join(', '),
    ]),
    ['VERSION', 'UP SINCE', 'QUEUES', 'HOST', 'PID'],
  )
}

/** Of the last hour: how many failed, and of how many. */
function showRate({ failureRate, endedLastHour: ended }: WorkerProcess): string {
  if (failureRate === null) return '-'
  const failed = ended.dead + ended.unknown
  return `${failed} of ${failed + ended.succeeded} (${Math.round(failureRate * 100)}%)`
}

function showStuck(terminal: Terminal, workers: readonly WorkerProcess[]): void {
  const stuck = workers.flatMap(({ id, stuck }) => stuck.map((it) => ({ ...it, worker: id })))
  if (stuck.length === 0) return
  terminal.line(
    `\n${terminal.colors.red('stuck')}: handlers that went on after their runs had ended`,
  )
  showTable(
    terminal,
    ['WORKER', 'HANDLER', 'ATTEMPT', 'RAN FOR', 'RUN'],
    stuck
      .slice(0, STUCK_SHOWN)
      .map(({ worker, handler, attempt, ranMs, runId }) => [
        ...[worker, handler, attempt, showDuration(ranMs), runId],
      ]),
    ['WORKER'],
  )
}
