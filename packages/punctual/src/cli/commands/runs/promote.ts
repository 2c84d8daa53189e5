/** `punctual runs promote`: lets runs start now whose time has not come. */
import { steerableStates } from '@punctual/core/run'
import type { Command } from 'commander'
import type { OperatedRuns } from '../../runtime/operator.ts'
import { perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { addSteerFlags, type SteerFlags, steerRuns } from './steer-runs.ts'

const messages = {
  promoted: 'Promoted: it is due now.',
  already_due: 'It is due already, and waits for a worker.',
  waiting: 'It is due already, and waits for another run of its job.',
  running: 'It is running.',
  already_finished: 'It has ended already; submit it again instead.',
} as const

export function addRunsPromote(parent: Command): void {
  const command = parent
    .command('promote')
    .description('let runs start now whose time, or whose next attempt, has not come')
  addSteerFlags(command, steerableStates.promote)
  addFlags(command, ['database', 'server'])
  command.action((ids: string[], flags: SteerFlags) =>
    perform(
      command,
      (context) =>
        steerRuns(context, {
          ...{ ids, flags },
          one: promoteOne,
          many: (runs, filter, options) => runs.promoteMany(filter, options),
        }),
      { handlesInterrupts: true },
    ),
  )
}

async function promoteOne(runs: OperatedRuns, id: string) {
  const result = await runs.promote(id)
  return { fields: { result }, message: messages[result], ok: result !== 'already_finished' }
}
