/** `punctual queues pause|resume <queue>`, or `--all`. Repeating either is not an error. */
import { PunctualError } from '@punctual/core/errors'
import type { Command } from 'commander'
import type { Punctual } from '../../../punctual.ts'
import { describePause, pauseOf } from '../../../queues/queues.ts'
import { createdBy } from '../../flags/created-by.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import { openPunctual } from '../../target/open-punctual.ts'

interface Flags {
  all?: true
  note?: string
}

export function addQueuesPause(parent: Command): void {
  const command = parent
    .command('pause')
    .description('stop claiming runs from a queue, or from all; running runs continue')
    .argument('[queue]', 'name of the queue')
    .option('--all', 'all queues')
    .option('--note <text>', 'reason, shown while it is paused')
  addFlags(command, ['database'])
  command.action((queue: string | undefined, flags: Flags) =>
    perform(command, (context) => pause(context, chosen(queue, flags), flags.note)),
  )
}

export function addQueuesResume(parent: Command): void {
  const command = parent
    .command('resume')
    .description('resume a queue, or end the pause of all queues')
    .argument('[queue]', 'name of the queue')
    .option('--all', 'end the pause of all queues; queues paused individually stay paused')
  addFlags(command, ['database'])
  command.action((queue: string | undefined, flags: Flags) =>
    perform(command, (context) => resume(context, chosen(queue, flags))),
  )
}

/** The chosen queue; null means all. */
function chosen(queue: string | undefined, { all }: Flags): string | null {
  if ((queue === undefined) !== (all === undefined)) return queue ?? null
  throw new PunctualError('invalid_option', 'Give either a queue or --all.', { field: 'queue' })
}

async function pause(context: CommandContext, queue: string | null, note: string | undefined) {
  const { terminal, json } = context
  const punctual = await openPunctual(context)
  const options = { by: createdBy(), ...(note !== undefined && { note }) }
  const { queues } = punctual
  const paused = await (queue === null ? queues.pauseAll(options) : queues.pause(queue, options))
  const current = (await queues.pauses()).find((pause) => pause.queue === queue)
  const result = paused ? 'paused' : 'already_paused'
  if (json) terminal.json({ queue, result, pause: current ?? null })
  else if (paused) {
    const what = queue === null ? 'all queues' : `the queue ${queue}`
    terminal.line(`Paused ${what}: workers claim no more runs; running runs continue.`)
  } else if (current) terminal.line(describePause(current))
  if (queue !== null) await noteUnknown(context, punctual, queue)
  return exit.ok
}

/** A queue that was never used may be a mistyped name. */
async function noteUnknown({ terminal }: CommandContext, punctual: Punctual, queue: string) {
  const known = (await punctual.queues.list()).find((listed) => listed.queue === queue)
  if (known?.lanes.length === 0)
    terminal.note(`No run was ever submitted to the queue ${queue}. It is paused anyway.`)
}

async function resume(context: CommandContext, queue: string | null) {
  const { terminal, json } = context
  const { queues } = await openPunctual(context)
  const resumed = await (queue === null ? queues.resumeAll() : queues.resume(queue))
  const pauses = await queues.pauses()
  if (json) {
    const result = resumed ? 'resumed' : 'not_paused'
    terminal.json({ queue, result, pauses })
    return exit.ok
  }
  const what = queue === null ? 'all queues' : `the queue ${queue}`
  const was =
    queue === null ? 'There was no pause of all queues.' : `The queue ${queue} was not paused.`
  terminal.line(resumed ? `Resumed ${what}.` : was)
  // Other pauses may still hold runs back.
  const left = queue === null ? pauses : [pauseOf(pauses, queue)].filter((pause) => pause !== null)
  for (const pause of left) terminal.note(describePause(pause))
  return exit.ok
}
