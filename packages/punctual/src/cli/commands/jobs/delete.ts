/** `punctual jobs delete <job>`: deletes a job. Its past runs and its ledger stay. */
import type { Command } from 'commander'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { findJob } from '../../target/find-job.ts'
import { openOperator } from '../../target/open-operator.ts'

export function addJobsDelete(parent: Command): void {
  const command = parent
    .command('delete')
    .description('delete a job and cancel its runs that have not started; its history stays')
    .argument('<job>', 'name or id of the job')
  addFlags(command, ['database', 'server'])
  command.action((name: string) => perform(command, (context) => deleteJob(context, name)))
}

async function deleteJob(context: CommandContext, nameOrId: string) {
  const punctual = await openOperator(context)
  const { id, name } = await findJob(punctual, nameOrId)
  const deleted = await punctual.jobs.delete(id)
  if (context.json) context.terminal.json({ id, name, result: deleted ? 'deleted' : 'gone' })
  else context.terminal.line(deleted ? `Deleted ${name}.` : `${name} was already deleted.`)
  return exit.ok
}
