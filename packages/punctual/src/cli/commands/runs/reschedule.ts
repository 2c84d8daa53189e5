/** `punctual runs reschedule --at <time>`: gives runs that have not started another time. */
import { steerableStates } from '@punctual/core/run'
import type { Command } from 'commander'
import { parseMoment } from '../../flags/durations.ts'
import type { OperatedRuns } from '../../runtime/operator.ts'
import { perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { addSteerFlags, type SteerFlags, steerRuns } from './steer-runs.ts'

const messages = {
  waiting: 'It waits for another run of its job: it has no time that could be changed.',
  running: 'It is running: only a run that has not started can be moved.',
  already_finished: 'It has ended already; submit it again instead.',
} as const

interface Flags extends SteerFlags {
  at: string
}

export function addRunsReschedule(parent: Command): void {
  const command = parent
    .command('reschedule')
    .description('give runs that have not started another time')
  addSteerFlags(command, steerableStates.reschedule).requiredOption(
    '--at <time>',
    'when: 2030-01-31T12:00:00Z, or +5m from now',
  )
  addFlags(command, ['database', 'server'])
  command.action((ids: string[], flags: Flags) =>
    perform(
      command,
      async (context) => {
        const at = (nowMs: number) => parseMoment('--at', flags.at, nowMs)
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
  const message = ok ? `Rescheduled. It is due at ${runAt.toISOString()}.` : messages[result]
  return { fields: { result, runAt }, message, ok }
}
