/** `punctual jobs list`: jobs by name, with their state and their next slot. */
import { PunctualError } from '@punctual/core/errors'
import type { Job } from '@punctual/core/job'
import type { Command } from 'commander'
import { parseCount } from '../../flags/counts.ts'
import { showAge } from '../../flags/durations.ts'
import {
  type JobState,
  jobJson,
  jobState,
  jobStateColour,
  jobStates,
  jobZone,
  scheduleText,
} from '../../output/job-view.ts'
import { showTable } from '../../output/table.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openOperator } from '../../target/open-operator.ts'

const LIMIT_MAX = 1_000

interface Flags {
  state?: string
  source?: string
  after?: string
  limit?: string
}

export function addJobsList(parent: Command): void {
  const command = parent
    .command('list')
    .description('list jobs by name, with their state and their next slot')
    .option('--state <state>', `only in this state: ${jobStates.join(', ')}`)
    .option('--source <name>', 'only jobs of this source')
    .option('--after <name>', 'continue after this name, the last one of the previous page')
    .option('--limit <n>', `maximum number of jobs, up to ${LIMIT_MAX} (default: 100)`)
  addFlags(command, ['database', 'server'])
  command.action((flags: Flags) => perform(command, (context) => listJobs(context, flags)))
}

async function listJobs(context: CommandContext, flags: Flags) {
  const limit = parseCount('--limit', flags.limit ?? '100', LIMIT_MAX)
  const filter = {
    limit,
    ...(flags.state !== undefined && { state: stateOf(flags.state) }),
    ...(flags.source !== undefined && { source: flags.source }),
    ...(flags.after !== undefined && { after: flags.after }),
  }
  const punctual = await openOperator(context)
  const jobs = await punctual.jobs.list(filter)
  if (context.json) context.terminal.json(jobs.map(jobJson))
  else showJobs(context, jobs, punctual.nowMs())
  const last = jobs.at(-1)
  if (last && jobs.length === limit)
    context.terminal.note(`There may be more. Continue with --after ${JSON.stringify(last.name)}`)
  return exit.ok
}

function showJobs({ terminal }: CommandContext, jobs: readonly Job[], nowMs: number) {
  if (jobs.length === 0) return terminal.line('No jobs.')
  showTable(
    terminal,
    ['NAME', 'STATE', 'SCHEDULE', 'ZONE', 'NEXT', 'HANDLER', 'SOURCE', 'NOTE'],
    jobs.map((job) => [
      job.name,
      jobStateColour(terminal.colors, jobState(job)),
      scheduleText(job.rules),
      jobZone(job.rules),
      job.nextAt ? showAge(job.nextAt, nowMs) : '-',
      job.handler,
      job.source ?? '-',
      job.planningError ?? job.pausedNote ?? job.description ?? '',
    ]),
    ['SOURCE', 'HANDLER', 'ZONE', 'NOTE'],
  )
}

function stateOf(text: string): JobState {
  const state = jobStates.find((known) => known === text)
  if (state) return state
  throw new PunctualError(
    'invalid_option',
    `--state must be one of ${jobStates.join(', ')}; got ${JSON.stringify(text.slice(0, 80))}.`,
    { field: '--state' },
  )
}
