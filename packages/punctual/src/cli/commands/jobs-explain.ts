/** `punctual jobs explain <job>`: why it ran, or did not, at an instant. */
import type { Command } from 'commander'
import { exit } from '../exit-code.ts'
import { findJob } from '../find-job.ts'
import { jobZone } from '../job-view.ts'
import { parsePastMoment } from '../moments.ts'
import { openPunctual } from '../open-punctual.ts'
import { type CommandContext, perform } from '../perform.ts'
import { addFlags } from '../setting-flags.ts'

export function addJobsExplain(parent: Command): void {
  const command = parent
    .command('explain')
    .description('tell why a job ran, or did not, at a time')
    .argument('<job>', 'its name or id')
    .option('--at <time>', 'the time asked about; 09:00 is the last one up to now (default: now)')
  addFlags(command, ['database'])
  command.action((name: string, flags: { at?: string }) =>
    perform(command, (context) => explainJob(context, name, flags.at)),
  )
}

async function explainJob(context: CommandContext, nameOrId: string, at: string | undefined) {
  const punctual = await openPunctual(context)
  const { id, rules } = await findJob(punctual, nameOrId)
  const nowMs = punctual.store.database.clock.nowMs()
  const moment = parsePastMoment('--at', at ?? 'now', jobZone(rules), nowMs)
  const explanation = await punctual.jobs.explain(id, moment)
  if (context.json) context.terminal.json(explanation)
  else context.terminal.line(explanation.text)
  return exit.ok
}
