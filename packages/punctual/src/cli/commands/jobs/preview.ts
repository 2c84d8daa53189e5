/**
 * `punctual jobs preview <job>`: the next fires of a job, with the effect of clock changes and
 * calendars.
 */
import type { Command } from 'commander'
import { parseCount } from '../../flags/counts.ts'
import { parseInstantIn } from '../../flags/instants.ts'
import { jobFires } from '../../output/job-fires.ts'
import { jobZone } from '../../output/job-view.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { findJob } from '../../target/find-job.ts'
import { openPunctual } from '../../target/open-punctual.ts'
import { showNext } from './create.ts'

const COUNT_MAX = 10_000

interface Flags {
  count?: string
  from?: string
  aroundDst?: true
}

export function addJobsPreview(parent: Command): void {
  const command = parent
    .command('preview')
    .description('show when a job fires next, in its local time and in UTC')
    .argument('<job>', 'name or id of the job')
    .option('--count <n>', `number of fires, up to ${COUNT_MAX} (default: 5)`)
    .option('--from <time>', 'fires after this time (default: now)')
    .option('--around-dst', 'also show the fires around the next two clock changes')
  addFlags(command, ['database'])
  command.action((name: string, flags: Flags) =>
    perform(command, (context) => previewJob(context, name, flags)),
  )
}

async function previewJob(context: CommandContext, name: string, flags: Flags) {
  const count = parseCount('--count', flags.count ?? '5', COUNT_MAX)
  const punctual = await openPunctual(context)
  const job = await findJob(punctual, name)
  const nowMs = punctual.store.database.clock.nowMs()
  const from = flags.from && parseInstantIn('--from', flags.from, jobZone(job.rules), nowMs)
  const query = { count, aroundChanges: flags.aroundDst === true, ...(from && { from }) }
  const fires = await jobFires(punctual, job, query)
  if (context.json) context.terminal.json(fires)
  else showNext(context.terminal, job, fires)
  return exit.ok
}
