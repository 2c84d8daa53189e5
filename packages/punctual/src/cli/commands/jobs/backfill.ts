/**
 * `punctual jobs backfill <job>`: runs past slots that have not run. Repeating it runs none twice.
 */
import type { Command } from 'commander'
import { parseDuration } from '../../flags/durations.ts'
import { parseInstantIn } from '../../flags/instants.ts'
import { jobZone } from '../../output/job-view.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { findJob } from '../../target/find-job.ts'
import { openPunctual } from '../../target/open-punctual.ts'

interface Flags {
  from: string
  to: string
  pace?: string
}

export function addJobsBackfill(parent: Command): void {
  const command = parent
    .command('backfill')
    .description('run past slots that have not run; repeating it runs none twice')
    .argument('<job>', 'name or id of the job')
    .requiredOption('--from <time>', 'first slot, inclusive')
    .requiredOption('--to <time>', 'end of the range, exclusive')
    .option('--pace <time>', 'pause between two runs (default: 0)')
  addFlags(command, ['database'])
  command.action((name: string, flags: Flags) =>
    perform(command, (context) => backfillJob(context, name, flags)),
  )
}

async function backfillJob(context: CommandContext, nameOrId: string, flags: Flags) {
  const paceMs = flags.pace === undefined ? 0 : parseDuration('--pace', flags.pace)
  const punctual = await openPunctual(context)
  const { id, name, rules } = await findJob(punctual, nameOrId)
  const nowMs = punctual.store.database.clock.nowMs()
  const from = parseInstantIn('--from', flags.from, jobZone(rules), nowMs)
  const to = parseInstantIn('--to', flags.to, jobZone(rules), nowMs)
  const result = await punctual.jobs.backfill(id, { from, to, paceMs })
  if (context.json) context.terminal.json({ id, name, from, to, ...result })
  else
    context.terminal.line(
      `Created ${counted(result.runs, 'run')} of ${name}; ${counted(result.already, 'slot')} had already run or been backfilled.`,
    )
  return exit.ok
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
