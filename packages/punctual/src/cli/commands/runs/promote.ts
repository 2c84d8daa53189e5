/** `punctual runs promote`: makes waiting runs due now. */
import { steerableStates } from '@punctual/core/run'
import type { Command } from 'commander'
import type { OperatedRuns } from '../../runtime/operator.ts'
import { perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { addSteerFlags, type SteerFlags, steerRuns } from './steer-runs.ts'

const messages = {
  promoted: 'Promoted. The run is due now.',
  already_due: 'The run is already due and waits for a worker.',
  waiting: 'The run is already due and waits for another run of its job.',
  running: 'The run is already running.',
  already_finished: 'The run has already ended. Submit another one instead.',
} as const

export function addRunsPromote(parent: Command): void {
  const command = parent
    .command('promote')
    .description('make runs due now that wait for their time or their next attempt')
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
