/** `punctual jobs explain <job>`: why it ran, or did not, at an instant. */
import type { Command } from 'commander'
import { parsePastMoment } from '../../flags/instants.ts'
import { jobZone } from '../../output/job-view.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { findJob } from '../../target/find-job.ts'
import { openPunctual } from '../../target/open-punctual.ts'

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
