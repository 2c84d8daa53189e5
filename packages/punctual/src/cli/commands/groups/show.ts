/** `punctual groups show <id>`: the progress of a group, and its callback run. */
import { PunctualError } from '@punctual/core/errors'
import type { Group, RunState } from '@punctual/core/run'
import type { Command } from 'commander'
import { showAge } from '../../flags/durations.ts'
import { stateColour } from '../../output/state-colour.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import type { Terminal } from '../../runtime/terminal.ts'
import { openPunctual } from '../../target/open-punctual.ts'

export function addGroupsShow(parent: Command): void {
  const command = parent
    .command('show')
    .description('show one group: its runs by state, and its callback run')
    .argument('<id>', 'id of the group, as `punctual groups` shows it')
  addFlags(command, ['database'])
  command.action((id: string) => perform(command, (context) => showOne(context, id)))
}

async function showOne(context: CommandContext, id: string) {
  const { terminal, json } = context
  const punctual = await openPunctual(context)
  const group = await punctual.groups.get(id)
  if (!group) throw new PunctualError('group_not_found', `Group ${id} does not exist.`, { id })
  if (json) terminal.json(group)
  else showGroup(terminal, group, punctual.store.database.clock.nowMs())
  return exit.ok
}

function showGroup({ line, colors }: Terminal, group: Group, nowMs: number): void {
  const field = (name: string, value: string) => line(`${colors.dim(name.padEnd(10))} ${value}`)
  const { total, ended, doneAt, closedAt } = group
  field('group', group.id)
  if (group.name) field('name', group.name)
  const state = doneAt
    ? `done ${showAge(doneAt, nowMs)}`
    : closedAt
      ? 'closed; done when all of its runs have ended'
      : 'open: runs can be added'
  field('state', state)
  field('created', showAge(group.createdAt, nowMs))
  const share = total === 0 ? 100 : Math.floor((ended / total) * 100)
  field('ended', `${ended} of ${total} (${share} %)`)
  for (const [name, runs] of Object.entries(group.counts))
    if (runs > 0) line(`${' '.repeat(11)}${runs} ${stateColour(colors, name as RunState)}`)
  if (group.callbackRunId) field('callback', `run ${group.callbackRunId}`)
}
