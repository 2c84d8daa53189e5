/** `punctual jobs create <name>`: registers a job, or changes the one of this name to what is said. */
import { type FirePreview, type Job, type JobOptions, PunctualError } from '@punctual/core'
import type { Command } from 'commander'
import { exit } from '../exit-code.ts'
import { findJob } from '../find-job.ts'
import { jobFires, showFires } from '../job-fires.ts'
import { addJobFlags, type JobFlags, jobOptions } from '../job-flags.ts'
import { jobZone, scheduleText } from '../job-view.ts'
import { openOperator } from '../open-operator.ts'
import type { Operator } from '../operator.ts'
import { type CommandContext, perform } from '../perform.ts'
import { addFlags } from '../setting-flags.ts'
import type { Terminal } from '../terminal.ts'

const FIRES = 5

export function addJobsCreate(parent: Command): void {
  const command = parent
    .command('create')
    .description('register a job, or change the one of this name to what is said here')
    .argument('<name>', 'the name of the job')
  addFlags(addJobFlags(command), ['database', 'server'])
  command.action((name: string, flags: JobFlags) =>
    perform(command, (context) => createJob(context, name, flags)),
  )
}

async function createJob(context: CommandContext, name: string, flags: JobFlags) {
  const { terminal, config } = context
  // Refuses what cannot be read before anything is opened.
  jobOptions(name, { ...flags, payload: 'null' }, config, Date.now())
  const punctual = await openOperator(context)
  const nowMs = punctual.nowMs()
  const options = jobOptions(name, flags, config, nowMs)
  await refuseForeign(punctual, options)
  const { id, change } = await punctual.jobs.upsert(options)
  const job = await findJob(punctual, id)
  const next = await jobFires(punctual, job, { count: FIRES })
  // In the past means now.
  const late = options.at instanceof Date && options.at.getTime() < nowMs && change !== 'unchanged'
  if (context.json) terminal.json({ id, name, change, late, next })
  else {
    const words = { created: 'Created', updated: 'Updated', unchanged: 'Unchanged:' }
    terminal.line(`${words[change]} ${name} (${id})`)
    if (late) terminal.line('Its time has passed: it runs now.')
    else showNext(terminal, job, next)
  }
  return exit.ok
}

/** What a source declares would be undone by its next `apply`. */
async function refuseForeign({ jobs }: Operator, { name, source }: JobOptions): Promise<void> {
  const existing = await jobs.get(name)
  const owner = existing?.source ?? null
  if (existing?.name !== name || owner === null || owner === source) return
  throw new PunctualError(
    'job_of_other_source',
    `The job ${JSON.stringify(name)} is declared by the source ${JSON.stringify(owner)}. Change it there, choose another name, or say --source ${owner}.`,
    { field: 'name', id: existing.id },
  )
}

export function showNext(terminal: Terminal, job: Job, fires: readonly FirePreview[]): void {
  const { dim, yellow } = terminal.colors
  if (job.pausedAt) terminal.line(yellow('It is paused: nothing runs until it is resumed.'))
  if (job.rules.when.kind === 'after-end') terminal.line(dim(`It runs ${scheduleText(job.rules)}.`))
  if (fires.length > 0) showFires(terminal, fires, jobZone(job.rules))
  else if (job.rules.when.kind !== 'after-end') terminal.line('No fire is left.')
}
