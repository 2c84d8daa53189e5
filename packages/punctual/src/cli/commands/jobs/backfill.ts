/** `punctual jobs backfill <job>`: runs slots of the past that have not run; asking again runs none twice. */
import type { Command } from 'commander'
import { parseDuration } from '../../flags/durations.ts'
import { parseMomentIn } from '../../flags/instants.ts'
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
    .description('run slots of the past that have not run; asking again runs none twice')
    .argument('<job>', 'its name or id')
    .requiredOption('--from <time>', 'from this slot on')
    .requiredOption('--to <time>', 'up to this, which is not included')
    .option('--pace <time>', 'the pause between two runs (default: 0)')
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
  const from = parseMomentIn('--from', flags.from, jobZone(rules), nowMs)
  const to = parseMomentIn('--to', flags.to, jobZone(rules), nowMs)
  const result = await punctual.jobs.backfill(id, { from, to, paceMs })
  if (context.json) context.terminal.json({ id, name, from, to, ...result })
  else
    context.terminal.line(
      `${counted(result.runs, 'run')} of ${name} made; ${counted(result.already, 'slot')} had run already, or had been backfilled.`,
    )
  return exit.ok
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
