/** `punctual jobs pause <job>` and `jobs resume <job>`. Repeating either is not an error. */
import type { Command } from 'commander'
import { jobFires } from '../../output/job-fires.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { findJob } from '../../target/find-job.ts'
import { openOperator } from '../../target/open-operator.ts'
import { showNext } from './create.ts'

const FIRES = 3

export function addJobsPause(parent: Command): void {
  const command = parent
    .command('pause')
    .description(
      'stop planning a job and withdraw its runs of future slots; runs of past slots (backfills, missed slots, jitter) still run',
    )
    .argument('<job>', 'name or id of the job')
    .option('--note <text>', 'reason, shown while the job is paused')
  addFlags(command, ['database', 'server'])
  command.action((name: string, flags: { note?: string }) =>
    perform(command, (context) => pauseJob(context, name, flags.note)),
  )
}

async function pauseJob(context: CommandContext, nameOrId: string, note: string | undefined) {
  const punctual = await openOperator(context)
  const { id, name } = await findJob(punctual, nameOrId)
  const paused = await punctual.jobs.pause(id, note)
  if (context.json)
    context.terminal.json({ id, name, result: paused ? 'paused' : 'already_paused' })
  else context.terminal.line(paused ? `Paused ${name}.` : `${name} was already paused.`)
  return exit.ok
}

export function addJobsResume(parent: Command): void {
  const command = parent
    .command('resume')
    .description('plan a paused job again; slots that passed in the meantime are skipped')
    .argument('<job>', 'name or id of the job')
  addFlags(command, ['database', 'server'])
  command.action((name: string) => perform(command, (context) => resumeJob(context, name)))
}

async function resumeJob(context: CommandContext, nameOrId: string) {
  const { terminal, json } = context
  const punctual = await openOperator(context)
  const { id, name } = await findJob(punctual, nameOrId)
  const resumed = await punctual.jobs.resume(id)
  const job = await findJob(punctual, id)
  const next = await jobFires(punctual, job, { count: FIRES })
  if (json) terminal.json({ id, name, result: resumed ? 'resumed' : 'not_paused', next })
  else {
    terminal.line(resumed ? `Resumed ${name}.` : `${name} was not paused.`)
    showNext(terminal, job, next)
  }
  return exit.ok
}
