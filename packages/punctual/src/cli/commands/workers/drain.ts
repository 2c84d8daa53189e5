/** `punctual workers drain <id>` and `workers activate <id>`. Repeating either is not an error. */
import type { Command } from 'commander'
import { parseDuration } from '../../flags/durations.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openPunctual } from '../../target/open-punctual.ts'

interface Flags {
  wait?: true
  waitTimeout?: string
}

export function addWorkersDrain(parent: Command): void {
  const command = parent
    .command('drain')
    .description('stop a worker from claiming runs; it finishes the runs that it holds')
    .argument('<id>', 'id of the worker, as `punctual workers` shows it')
    .option('--wait', 'wait until it holds no runs')
    .option('--wait-timeout <time>', 'stop waiting after this long; the worker keeps draining')
  addFlags(command, ['database'])
  command.action((id: string, flags: Flags) =>
    perform(command, (context) => drain(context, id, flags)),
  )
}

async function drain(context: CommandContext, id: string, flags: Flags) {
  const { terminal, json, interrupts } = context
  const timeoutMs = flags.waitTimeout && parseDuration('--wait-timeout', flags.waitTimeout)
  const { workers } = await openPunctual(context)
  const changed = await workers.drain(id)
  const result = changed ? 'draining' : 'already_draining'
  if (!flags.wait) {
    if (json) terminal.json({ id, result })
    else if (changed) terminal.line(`Worker ${id} claims no more runs and finishes those it holds.`)
    else terminal.line(`Worker ${id} was already draining.`)
    return exit.ok
  }
  if (!json) terminal.note(`Waiting until worker ${id} holds no runs.`)
  const { signal } = interrupts
  const drained = await workers.waitUntilDrained(id, { signal, ...(timeoutMs && { timeoutMs }) })
  if (json) terminal.json({ id, result: drained })
  else terminal.line(`Worker ${id} ${drained === 'left' ? 'has left' : 'holds no runs'}.`)
  return exit.ok
}

export function addWorkersActivate(parent: Command): void {
  const command = parent
    .command('activate')
    .description('let a draining worker claim runs again')
    .argument('<id>', 'id of the worker, as `punctual workers` shows it')
  addFlags(command, ['database'])
  command.action((id: string) => perform(command, (context) => activate(context, id)))
}

async function activate({ terminal, json, ...rest }: CommandContext, id: string) {
  const { workers } = await openPunctual({ terminal, json, ...rest })
  const changed = await workers.activate(id)
  if (json) terminal.json({ id, result: changed ? 'active' : 'not_draining' })
  else terminal.line(changed ? `Worker ${id} claims runs again.` : `Worker ${id} was not draining.`)
  return exit.ok
}
