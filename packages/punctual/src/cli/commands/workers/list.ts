/**
 * `punctual workers`: the processes that run handlers, including those that left in the last day.
 */
import type { WorkerProcess, WorkerState } from '@punctual/core/queue'
import type { Command } from 'commander'
import { showAge, showDuration } from '../../flags/durations.ts'
import { showTable } from '../../output/table.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import type { Terminal } from '../../runtime/terminal.ts'
import { openPunctual } from '../../target/open-punctual.ts'

const HEAD = [
  'ID',
  'STATE',
  'HOST',
  'PID',
  'RUNNING',
  'FAILED',
  'VERSION',
  'STARTED',
  'LAST HEARTBEAT',
]
const STUCK_SHOWN = 20

export function addWorkersList(parent: Command): void {
  const command = parent
    .command('list', { isDefault: true })
    .description(
      'list worker processes, their handlers and load, and those that left in the last day',
    )
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
    workers.map((worker) => [
      worker.id,
      shown(worker.state, worker.fenced),
      worker.host,
      worker.pid,
      worker.state === 'offline' ? '-' : `${worker.running} of ${worker.capacity}`,
      showRate(worker),
      worker.version,
      showAge(worker.openedAt, nowMs),
      showAge(worker.renewedAt ?? (worker.endedAt as Date), nowMs),
      worker.queues.join(', ') || 'all',
      worker.handlers.join(', '),
    ]),
    ['VERSION', 'STARTED', 'QUEUES', 'HOST', 'PID'],
  )
}

/** Failed runs of all that ended in the last hour. */
function showRate({ failureRate, endedLastHour: ended }: WorkerProcess): string {
  if (failureRate === null) return '-'
  const failed = ended.dead + ended.unknown
  return `${failed} of ${failed + ended.succeeded} (${Math.round(failureRate * 100)}%)`
}

function showStuck(terminal: Terminal, workers: readonly WorkerProcess[]): void {
  const stuck = workers.flatMap(({ id, stuck }) => stuck.map((run) => ({ ...run, worker: id })))
  if (stuck.length === 0) return
  terminal.line(
    `\n${terminal.colors.red('stuck')}: handlers that are still running after their runs ended`,
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
