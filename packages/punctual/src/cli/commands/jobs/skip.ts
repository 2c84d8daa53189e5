/** `punctual jobs skip <job> <slot>`: skips one future slot. */
import type { Command } from 'commander'
import { createdBy } from '../../flags/created-by.ts'
import { parseInstantIn, showLocal } from '../../flags/instants.ts'
import { jobZone } from '../../output/job-view.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { findJob } from '../../target/find-job.ts'
import { openPunctual } from '../../target/open-punctual.ts'

export function addJobsSkip(parent: Command): void {
  const command = parent
    .command('skip')
    .description('skip one future slot of a job')
    .argument('<job>', 'name or id of the job')
    .argument(
      '<slot>',
      'the slot: 2030-01-31T12:00:00Z, or 2030-01-31T12:00 in the time zone of the job',
    )
  addFlags(command, ['database'])
  command.action((name: string, slot: string) =>
    perform(command, (context) => skipSlot(context, name, slot)),
  )
}

async function skipSlot(context: CommandContext, nameOrId: string, slot: string) {
  const punctual = await openPunctual(context)
  const { id, name, rules } = await findJob(punctual, nameOrId)
  const nowMs = punctual.store.database.clock.nowMs()
  const slotAt = parseInstantIn('The slot', slot, jobZone(rules), nowMs)
  await punctual.jobs.skip(id, slotAt, createdBy())
  if (context.json) context.terminal.json({ id, name, slotAt, result: 'skipped' })
  else context.terminal.line(`${name} skips ${showLocal(slotAt, jobZone(rules))}.`)
  return exit.ok
}
