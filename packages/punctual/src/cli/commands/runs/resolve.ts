/** `punctual runs resolve <id> <as>`: records the outcome of an unknown run. */
import { type Resolution, type ResolveResult, resolutions } from '@punctual/core/run'
import type { Command } from 'commander'
import { createdBy } from '../../flags/created-by.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openPunctual } from '../../target/open-punctual.ts'

export function addRunsResolve(parent: Command): void {
  const command = parent
    .command('resolve')
    .description('record the outcome of an unknown run, whose worker was lost')
    .argument('<id>', 'id of the run')
    .argument('<as>', Object.keys(resolutions).join(', '))
    .option('--note <text>', 'how you know; kept with the run')
  addFlags(command, ['database'])
  command.action((id: string, as: string, flags: { note?: string }) =>
    perform(command, (context) => resolve(context, id, as as Resolution, flags.note)),
  )
}

async function resolve(context: CommandContext, id: string, as: Resolution, note?: string) {
  const { terminal, json } = context
  const { runs } = await openPunctual(context)
  const by = createdBy()
  const answer = await runs.resolve(id, as, { by, ...(note !== undefined && { note }) })
  if (json) terminal.json({ id, ...answer })
  else terminal.line(describe(answer, as))
  return answer.result === 'resolved' ? exit.ok : exit.failure
}

function describe(answer: ResolveResult, as: Resolution): string {
  switch (answer.result) {
    case 'resolved':
      if (answer.replayedAs) return `Submitted ${answer.replayedAs}`
      return as === 'failed'
        ? 'Resolved. The run is a dead letter now.'
        : 'Resolved. The run has succeeded.'
    case 'already_resolved': {
      const { as: first, at, by } = answer.resolved
      return `Already resolved as ${first} at ${at.toISOString()}${by ? ` by ${by}` : ''}.`
    }
    case 'key_busy':
      return `A live run holds its key ${JSON.stringify(answer.key)}: ${answer.heldBy ?? '-'}`
    case 'not_unknown':
      return `The run is ${answer.state}. Only an unknown run can be resolved.`
  }
}
