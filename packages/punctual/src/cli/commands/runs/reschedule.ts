/** `punctual runs reschedule --at <time>`: changes the due time of runs that have not started. */
import { steerableStates } from '@punctual/core/run'
import type { Command } from 'commander'
import { parseInstant } from '../../flags/durations.ts'
import type { OperatedRuns } from '../../runtime/operator.ts'
import { perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { addSteerFlags, type SteerFlags, steerRuns } from './steer-runs.ts'

const messages = {
  waiting: 'The run waits for another run of its job and has no due time to change.',
  running: 'The run is running. Only a run that has not started can be rescheduled.',
  already_finished: 'The run has already ended. Submit another one instead.',
} as const

interface Flags extends SteerFlags {
  at: string
}

export function addRunsReschedule(parent: Command): void {
  const command = parent
    .command('reschedule')
    .description('change the due time of runs that have not started')
  addSteerFlags(command, steerableStates.reschedule).requiredOption(
    '--at <time>',
    'the new time: 2030-01-31T12:00:00Z, or +5m from now',
  )
  addFlags(command, ['database', 'server'])
  command.action((ids: string[], flags: Flags) =>
    perform(
      command,
      async (context) => {
        const at = (nowMs: number) => parseInstant('--at', flags.at, nowMs)
        at(0)
        return steerRuns(context, {
          ...{ ids, flags },
          one: (runs, id, nowMs) => rescheduleOne(runs, id, at(nowMs)),
          many: (runs, filter, options, nowMs) => runs.rescheduleMany(filter, at(nowMs), options),
        })
      },
      { handlesInterrupts: true },
    ),
  )
}

async function rescheduleOne(runs: OperatedRuns, id: string, runAt: Date) {
  const result = await runs.reschedule(id, runAt)
  const ok = result === 'rescheduled'
  const message = ok ? `Rescheduled. The run is due at ${runAt.toISOString()}.` : messages[result]
  return { fields: { result, runAt }, message, ok }
}
