/** `punctual workers drain <id>` and `workers activate <id>`. Asking for what is so already is no error. */
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
    .description('let a worker finish what it runs and take nothing more')
    .argument('<id>', 'its id, as `punctual workers` shows it')
    .option('--wait', 'wait until it holds no run any more')
    .option('--wait-timeout <time>', 'give up waiting after this long; it goes on draining')
  addFlags(command, ['database'])
  command.action((id: string, flags: Flags) =>
    perform(command, (context) => drain(context, id, flags)),
  )
}

async function drain(context: CommandContext, id: string, flags: Flags) {
  const { terminal, json, interrupts } = context
  const timeoutMs = flags.waitTimeout && parseDuration('--wait-timeout', flags.waitTimeout)
  const { workers } = await openPunctual(context)
  const asked = await workers.drain(id)
  const result = asked ? 'draining' : 'already_draining'
  if (!flags.wait) {
    if (json) terminal.json({ id, result })
    else if (asked) terminal.line(`Worker ${id} takes nothing more; what it runs goes on.`)
    else terminal.line(`Worker ${id} was asked to drain already.`)
    return exit.ok
  }
  if (!json) terminal.note(`Waiting until worker ${id} holds no run.`)
  const { signal } = interrupts
  const drained = await workers.waitUntilDrained(id, { signal, ...(timeoutMs && { timeoutMs }) })
  if (json) terminal.json({ id, result: drained })
  else terminal.line(`Worker ${id} ${drained === 'left' ? 'has left' : 'holds no run any more'}.`)
  return exit.ok
}

export function addWorkersActivate(parent: Command): void {
  const command = parent
    .command('activate')
    .description('let a worker that drains take work again')
    .argument('<id>', 'its id, as `punctual workers` shows it')
  addFlags(command, ['database'])
  command.action((id: string) => perform(command, (context) => activate(context, id)))
}

async function activate({ terminal, json, ...rest }: CommandContext, id: string) {
  const { workers } = await openPunctual({ terminal, json, ...rest })
  const asked = await workers.activate(id)
  if (json) terminal.json({ id, result: asked ? 'active' : 'not_draining' })
  else
    terminal.line(asked ? `Worker ${id} takes work again.` : `Worker ${id} was not asked to drain.`)
  return exit.ok
}
