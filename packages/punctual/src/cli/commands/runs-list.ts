/** `punctual runs list`: the runs that are alive, then those that ended, latest due first. */
import { PunctualError, type RunState, type RunSummary, runStates } from '@punctual/core'
import type { Command } from 'commander'
import { parseCount } from '../counts.ts'
import { showAge } from '../durations.ts'
import { exit } from '../exit-code.ts'
import { openPunctual } from '../open-punctual.ts'
import { type CommandContext, perform } from '../perform.ts'
import { addFlags } from '../setting-flags.ts'
import { stateColour } from '../state-colour.ts'
import { showTable } from '../table.ts'

const LIMIT_MAX = 1_000

interface Flags {
  state?: string
  queue?: string
  handler?: string
  limit?: string
}

export function addRunsList(parent: Command): void {
  const command = parent
    .command('list')
    .description('list runs: running, waiting, then ended ones')
    .option('--state <list>', `only these states, with commas: ${runStates.join(', ')}`)
    .option('--queue <name>', 'only this queue')
    .option('--handler <name>', 'only this handler')
    .option('--limit <n>', `at most so many, up to ${LIMIT_MAX} (default: 50)`)
  addFlags(command, ['database'])
  command.action((flags: Flags) => perform(command, (context) => listRuns(context, flags)))
}

async function listRuns(context: CommandContext, flags: Flags) {
  const filter = {
    limit: parseCount('--limit', flags.limit ?? '50', LIMIT_MAX),
    ...(flags.state !== undefined && { states: statesOf(flags.state) }),
    ...(flags.queue !== undefined && { queue: flags.queue }),
    ...(flags.handler !== undefined && { handler: flags.handler }),
  }
  const punctual = await openPunctual(context)
  const runs = await punctual.runs.list(filter)
  if (context.json) context.terminal.json(runs)
  else showRuns(context, runs, punctual.store.database.clock.nowMs())
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

function statesOf(text: string): RunState[] {
  const states = text.split(',').map((name) => name.trim())
  for (const state of states)
    if (!runStates.includes(state as RunState))
      throw new PunctualError(
        'invalid_option',
        `--state takes ${runStates.join(', ')}, but ${JSON.stringify(state.slice(0, 80))} came.`,
        { field: '--state' },
      )
  return states as RunState[]
}
