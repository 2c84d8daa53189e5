/**
 * `punctual runs tail [id]`: follows the log of one run from its last lines to its end, or prints
 * runs as they end, until Ctrl-C. It polls, so the output may be one poll interval old.
 */
import { finalStates, isFinal, type LogPosition, type RunState } from '@punctual/core/run'
import { systemClock } from '@punctual/store'
import type { Command } from 'commander'
import { printLogLine, readLog, readLogEnd } from '../../output/log-lines.ts'
import { stateColour } from '../../output/state-colour.ts'
import { exit } from '../../runtime/exit-code.ts'
import type { Operator } from '../../runtime/operator.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openOperator } from '../../target/open-operator.ts'
import { findRun } from './show.ts'

const LOG_POLL_MS = 250
const ENDS_POLL_MS = 1_000
/** How many existing lines are printed first. */
const LINES_FIRST = 1_000
/**
 * Ended runs are listed by due time: a run that was due long ago may be hidden behind this many
 * newer ones.
 */
const ENDS_SEEN = 500

export function addRunsTail(parent: Command): void {
  const command = parent
    .command('tail')
    .description('follow the log of a run until it ends; without an id, print runs as they end')
    .argument('[id]', 'id of the run')
  addFlags(command, ['database', 'server'])
  command.action((id?: string) =>
    perform(command, async (context) => {
      const punctual = await openOperator(context)
      if (id === undefined) return followEnds(context, punctual)
      return followLog(context, punctual, id)
    }),
  )
}

async function followLog(context: CommandContext, { runs }: Operator, id: string) {
  let after: LogPosition | undefined
  for (let first = true; ; first = false) {
    // The state is read before the lines: a run's log is stored before the run ends, so none is
    // missed.
    const run = await findRun(runs, id)
    const { lines, earlier } = first
      ? await readLogEnd(runs, id, LINES_FIRST)
      : { lines: await readLog(runs, id, after), earlier: false }
    if (earlier)
      context.terminal.note(`Earlier lines are omitted; \`punctual runs logs ${id}\` shows all.`)
    for (const line of lines) printLogLine(context.terminal, line, context.json)
    after = lines.at(-1) ?? after
    if (isFinal(run.state)) {
      const tries = run.attempts.length === 1 ? '1 attempt' : `${run.attempts.length} attempts`
      const state = stateColour(context.terminal.colors, run.state)
      if (!context.json) context.terminal.note(`Run ${id}: ${state} after ${tries}.`)
      return exit.ok
    }
    await systemClock.sleep(LOG_POLL_MS, context.interrupts.signal)
  }
}

async function followEnds(context: CommandContext, { runs, nowMs }: Operator) {
  const { terminal, interrupts, json } = context
  const filter = { states: Object.keys(finalStates) as RunState[], limit: ENDS_SEEN, days: 1 }
  let seen = new Set((await runs.list(filter)).map((run) => run.id))
  if (!json) terminal.note('Waiting for runs to end. Press Ctrl-C to stop.')
  while (!interrupts.signal.aborted) {
    await systemClock.sleep(ENDS_POLL_MS, interrupts.signal)
    const ended = await runs.list(filter)
    for (const run of ended.filter(({ id }) => !seen.has(id)).reverse()) {
      if (json) terminal.json(run, { streaming: true })
      else {
        const at = run.finishedAt ?? new Date(nowMs())
        const state = stateColour(terminal.colors, run.state, run.state.padEnd(9))
        terminal.line(
          `${at.toISOString()} ${state} ${run.id} ${run.handler} ${run.error ?? ''}`.trimEnd(),
        )
      }
    }
    seen = new Set([...seen, ...ended.map(({ id }) => id)].slice(-20 * ENDS_SEEN))
  }
  return exit.ok
}
