/** `punctual jobs create <name>`: creates a job, or replaces the options of an existing one. */
import { PunctualError } from '@punctual/core/errors'
import { type Job, type JobOptions, jobOptions } from '@punctual/core/job'
import type { FirePreview } from '@punctual/core/schedule'
import type { Command } from 'commander'
import { type JobFlags, jobFromFlags } from '../../flags/job-flags.ts'
import { addOptionFlags } from '../../flags/option-flags.ts'
import { jobFires, showFires } from '../../output/job-fires.ts'
import { jobZone, scheduleText } from '../../output/job-view.ts'
import { exit } from '../../runtime/exit-code.ts'
import type { Operator } from '../../runtime/operator.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import type { Terminal } from '../../runtime/terminal.ts'
import { findJob } from '../../target/find-job.ts'
import { openOperator } from '../../target/open-operator.ts'

const FIRES = 5

export function addJobsCreate(parent: Command): void {
  const command = parent
    .command('create')
    .description('create a job, or replace all options of the existing job with this name')
    .argument('<name>', 'name of the job')
  addFlags(addOptionFlags(command, jobOptions), ['database', 'server'])
  command.action((name: string, flags: JobFlags) =>
    perform(command, (context) => createJob(context, name, flags)),
  )
}

async function createJob(context: CommandContext, name: string, flags: JobFlags) {
  const { terminal, config } = context
  // Refuses invalid flags before anything is opened.
  jobFromFlags(name, { ...flags, payload: 'null' }, config, Date.now())
  const punctual = await openOperator(context)
  const nowMs = punctual.nowMs()
  const options = jobFromFlags(name, flags, config, nowMs)
  await refuseForeign(punctual, options)
  const { id, change } = await punctual.jobs.upsert(options)
  const job = await findJob(punctual, id)
  const next = await jobFires(punctual, job, { count: FIRES })
  // A time in the past means now.
  const late = options.at instanceof Date && options.at.getTime() < nowMs && change !== 'unchanged'
  if (context.json) terminal.json({ id, name, change, late, next })
  else {
    const words = { created: 'Created', updated: 'Updated', unchanged: 'Unchanged:' }
    terminal.line(`${words[change]} ${name} (${id})`)
    if (late) terminal.line('The time is in the past: the job runs now.')
    else showNext(terminal, job, next)
  }
  return exit.ok
}

/**
 * Refuses to change a job of another source: the next `apply` of that source would undo the change.
 */
async function refuseForeign({ jobs }: Operator, { name, source }: JobOptions): Promise<void> {
  const existing = await jobs.get(name)
  const owner = existing?.source ?? null
  if (existing?.name !== name || owner === null || owner === source) return
  throw new PunctualError(
    'job_of_other_source',
    `The job ${JSON.stringify(name)} belongs to the source ${JSON.stringify(owner)}. Change it there, choose another name, or add --source ${owner}.`,
    { field: 'name', id: existing.id },
  )
}

export function showNext(terminal: Terminal, job: Job, fires: readonly FirePreview[]): void {
  const { dim, yellow } = terminal.colors
  if (job.pausedAt) terminal.line(yellow('The job is paused: nothing runs until it is resumed.'))
  if (job.rules.when.kind === 'after-end')
    terminal.line(dim(`The job runs ${scheduleText(job.rules)}.`))
  if (fires.length > 0) showFires(terminal, fires, jobZone(job.rules))
  else if (job.rules.when.kind !== 'after-end') terminal.line('No more fires.')
}
