/** `punctual jobs skip <job> <instant>`: one slot ahead is not to run. */
import type { Command } from 'commander'
import { parseMomentIn, showLocal } from '../../flags/instants.ts'
import { createdBy } from '../../flags/submit-flags.ts'
import { jobZone } from '../../output/job-view.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { findJob } from '../../target/find-job.ts'
import { openPunctual } from '../../target/open-punctual.ts'

export function addJobsSkip(parent: Command): void {
  const command = parent
    .command('skip')
    .description('skip one slot of a job ahead of its time')
    .argument('<job>', 'its name or id')
    .argument(
      '<slot>',
      'the slot: 2030-01-31T12:00:00Z, or 2030-01-31T12:00 in the zone of the job',
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
  const slotAt = parseMomentIn('The slot', slot, jobZone(rules), nowMs)
  await punctual.jobs.skip(id, slotAt, createdBy())
  if (context.json) context.terminal.json({ id, name, slotAt, result: 'skipped' })
  else context.terminal.line(`${name} skips ${showLocal(slotAt, jobZone(rules))}.`)
  return exit.ok
}
