/**
 * `punctual runs reprioritise --priority <n>`: changes the priority of runs that have not started.
 */
import { steerableStates } from '@punctual/core/run'
import type { Command } from 'commander'
import { parseInteger } from '../../flags/integer.ts'
import type { OperatedRuns } from '../../runtime/operator.ts'
import { perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { addSteerFlags, type SteerFlags, steerRuns } from './steer-runs.ts'

const messages = {
  reprioritised: 'Reprioritised.',
  running: 'The run is running. Only a run that has not started can change its priority.',
  already_finished: 'The run has already ended.',
} as const

interface Flags extends SteerFlags {
  priority: string
}

export function addRunsReprioritise(parent: Command): void {
  const command = parent
    .command('reprioritise')
    .description('change the priority of runs that have not started')
  addSteerFlags(command, steerableStates.reprioritise).requiredOption(
    '--priority <n>',
    '0 to 10, higher first',
  )
  addFlags(command, ['database', 'server'])
  command.action((ids: string[], flags: Flags) =>
    perform(
      command,
      async (context) => {
        const priority = parseInteger('--priority', flags.priority)
        return steerRuns(context, {
          ...{ ids, flags },
          one: (runs, id) => reprioritiseOne(runs, id, priority),
          many: (runs, filter, options) => runs.reprioritiseMany(filter, priority, options),
        })
      },
      { handlesInterrupts: true },
    ),
  )
}

async function reprioritiseOne(runs: OperatedRuns, id: string, priority: number) {
  const result = await runs.reprioritise(id, priority)
  const fields = { result, priority }
  return { fields, message: messages[result], ok: result === 'reprioritised' }
}
