/** `punctual runs cancel`: cancels runs, including running ones. */
import { type CancelAnswer, steerableStates } from '@punctual/core/run'
import type { Command } from 'commander'
import type { OperatedRuns } from '../../runtime/operator.ts'
import { perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { addSteerFlags, type SteerFlags, steerRuns } from './steer-runs.ts'

interface Flags extends SteerFlags {
  reason?: string
}

export function addRunsCancel(parent: Command): void {
  const command = parent
    .command('cancel')
    .description('cancel runs; handlers of running ones are signalled to stop')
  addSteerFlags(command, steerableStates.cancel).option('--reason <text>', 'kept with the runs')
  addFlags(command, ['database', 'server'])
  command.action((ids: string[], flags: Flags) =>
    perform(
      command,
      (context) =>
        steerRuns(context, {
          ...{ ids, flags },
          one: (runs, id) => cancelOne(runs, id, flags.reason),
          many: (runs, filter, options) =>
            runs.cancelMany(filter, {
              ...options,
              ...(flags.reason !== undefined && { reason: flags.reason }),
            }),
        }),
      { handlesInterrupts: true },
    ),
  )
}

async function cancelOne(runs: OperatedRuns, id: string, reason: string | undefined) {
  const answer = await runs.cancel(id, reason)
  return { fields: answer, message: messageOf(answer), ok: answer.result !== 'already_finished' }
}

function messageOf({ result, state }: CancelAnswer): string {
  if (result === 'cancelled') return 'Cancelled.'
  return result === 'cancelling'
    ? 'Cancelling: the handler was signalled and has 30 s to stop.'
    : `The run has already ended (${state}). Nothing to cancel.`
}
