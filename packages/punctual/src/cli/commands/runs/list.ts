/** `punctual runs list`: running and waiting runs, then ended ones, latest due first. */
import type { RunSummary } from '@punctual/core/run'
import type { Command } from 'commander'
import { parseCount } from '../../flags/counts.ts'
import { showAge } from '../../flags/durations.ts'
import { addFilterFlags, type FilterFlags, filterOf } from '../../flags/filter-flags.ts'
import { stateColour } from '../../output/state-colour.ts'
import { showTable } from '../../output/table.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openOperator } from '../../target/open-operator.ts'

const LIMIT_MAX = 1_000

interface Flags extends FilterFlags {
  limit?: string
}

export function addRunsList(parent: Command): void {
  const command = parent.command('list').description('list runs: running, waiting, then ended')
  addFilterFlags(command).option(
    '--limit <n>',
    `maximum number of runs, up to ${LIMIT_MAX} (default: 50)`,
  )
  addFlags(command, ['database', 'server'])
  command.action((flags: Flags) => perform(command, (context) => listRuns(context, flags)))
}

async function listRuns(context: CommandContext, flags: Flags) {
  const limit = parseCount('--limit', flags.limit ?? '50', LIMIT_MAX)
  const { timezone } = context.config
  filterOf(flags, timezone, 0)
  const punctual = await openOperator(context)
  const nowMs = punctual.nowMs()
  const runs = await punctual.runs.list({ ...filterOf(flags, timezone, nowMs), limit })
  if (context.json) context.terminal.json(runs)
  else showRuns(context, runs, nowMs)
  return exit.ok
}

function showRuns({ terminal }: CommandContext, runs: readonly RunSummary[], nowMs: number) {
  if (runs.length === 0) return terminal.line('No runs.')
  const { colors } = terminal
  showTable(
    terminal,
    ['ID', 'STATE', 'HANDLER', 'QUEUE', 'ATTEMPT', 'DUE', 'ENDED', 'MESSAGE'],
    runs.map((run) => [
      run.id,
      stateColour(colors, run.state),
      run.handler,
      run.queue,
      run.attempt || '-',
      showAge(run.dueAt, nowMs),
      run.finishedAt ? showAge(run.finishedAt, nowMs) : '-',
      run.error ?? '',
    ]),
    ['QUEUE', 'DUE', 'ATTEMPT', 'MESSAGE'],
  )
}
