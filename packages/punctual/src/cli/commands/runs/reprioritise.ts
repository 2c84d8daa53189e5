/** `punctual runs reprioritise --priority <n>`: gives runs that have not started another priority. */
import { steerableStates } from '@punctual/core/run'
import type { Command } from 'commander'
import { wholeNumber } from '../../flags/integer.ts'
import type { OperatedRuns } from '../../runtime/operator.ts'
import { perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { addSteerFlags, type SteerFlags, steerRuns } from './steer-runs.ts'

const messages = {
  reprioritised: 'Reprioritised.',
  running: 'It is running: only a run that has not started can be given another priority.',
  already_finished: 'It has ended already.',
} as const

interface Flags extends SteerFlags {
  priority: string
}

export function addRunsReprioritise(parent: Command): void {
  const command = parent
    .command('reprioritise')
    .description('give runs that have not started another priority')
  addSteerFlags(command, steerableStates.reprioritise).requiredOption(
    '--priority <n>',
    '0 to 10, higher first',
  )
  addFlags(command, ['database', 'server'])
  command.action((ids: string[], flags: Flags) =>
    perform(
      command,
      async (context) => {
        const priority = wholeNumber('--priority', flags.priority)
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
