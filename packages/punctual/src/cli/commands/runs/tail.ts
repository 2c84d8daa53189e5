/**
 * `punctual runs tail [id]`: follows the log of one run from its last lines to its end, or prints
 * runs as they end, until Ctrl-C. It polls, so the output may be one poll interval old.
 */
import { finalStates, type RunState } from '@punctual/core/run'
import { systemClock } from '@punctual/store'
import type { Command } from 'commander'
import { followLog } from '../../output/follow-log.ts'
import { stateColour } from '../../output/state-colour.ts'
import { exit } from '../../runtime/exit-code.ts'
import type { Operator } from '../../runtime/operator.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openOperator } from '../../target/open-operator.ts'

const ENDS_POLL_MS = 1_000
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
      await followLog(context, punctual, id)
      return exit.ok
    }),
  )
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
