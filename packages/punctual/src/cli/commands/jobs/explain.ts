/** `punctual jobs explain <job>`: why a job ran, or did not, at an instant. */
import type { Command } from 'commander'
import { parsePastInstant } from '../../flags/instants.ts'
import { jobZone } from '../../output/job-view.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { findJob } from '../../target/find-job.ts'
import { openPunctual } from '../../target/open-punctual.ts'

export function addJobsExplain(parent: Command): void {
  const command = parent
    .command('explain')
    .description('explain why a job ran, or did not, at a given time')
    .argument('<job>', 'name or id of the job')
    .option('--at <time>', 'the time; 09:00 means its last occurrence (default: now)')
  addFlags(command, ['database'])
  command.action((name: string, flags: { at?: string }) =>
    perform(command, (context) => explainJob(context, name, flags.at)),
  )
}

async function explainJob(context: CommandContext, nameOrId: string, at: string | undefined) {
  const punctual = await openPunctual(context)
  const { id, rules } = await findJob(punctual, nameOrId)
  const nowMs = punctual.store.database.clock.nowMs()
  const instant = parsePastInstant('--at', at ?? 'now', jobZone(rules), nowMs)
  const explanation = await punctual.jobs.explain(id, instant)
  if (context.json) context.terminal.json(explanation)
  else context.terminal.line(explanation.text)
  return exit.ok
}
