/** `punctual queues pause <queue>` and `queues resume <queue>`, or `--all`. Asking for what is so already is no error. */
import { PunctualError } from '@punctual/core/errors'
import type { Command } from 'commander'
import type { Punctual } from '../../../punctual.ts'
import { describePause, pauseOf } from '../../../queues/queues.ts'
import { createdBy } from '../../flags/submit-flags.ts'
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
    .description('take no more runs from a queue, or from any; those that run go on')
    .argument('[queue]', 'its name')
    .option('--all', 'everything instead of one queue')
    .option('--note <text>', 'why, for those who find it paused')
  addFlags(command, ['database'])
  command.action((queue: string | undefined, flags: Flags) =>
    perform(command, (context) => pause(context, chosen(queue, flags), flags.note)),
  )
}

export function addQueuesResume(parent: Command): void {
  const command = parent
    .command('resume')
    .description('take runs from a queue again, or end the pause of everything')
    .argument('[queue]', 'its name')
    .option('--all', 'the pause of everything; queues that are paused by themselves stay so')
  addFlags(command, ['database'])
  command.action((queue: string | undefined, flags: Flags) =>
    perform(command, (context) => resume(context, chosen(queue, flags))),
  )
}

/** The queue that is meant; null means all. */
function chosen(queue: string | undefined, { all }: Flags): string | null {
  if ((queue === undefined) !== (all === undefined)) return queue ?? null
  throw new PunctualError('invalid_option', 'Name one queue, or say --all.', { field: 'queue' })
}

async function pause(context: CommandContext, queue: string | null, note: string | undefined) {
  const { terminal, json } = context
  const punctual = await openPunctual(context)
  const options = { by: createdBy(), ...(note !== undefined && { note }) }
  const { queues } = punctual
  const paused = await (queue === null ? queues.pauseAll(options) : queues.pause(queue, options))
  const current = (await queues.pauses()).find((it) => it.queue === queue)
  const result = paused ? 'paused' : 'already_paused'
  if (json) terminal.json({ queue, result, pause: current ?? null })
  else if (paused) {
    const what = queue === null ? 'everything' : `the queue ${queue}`
    terminal.line(`Paused ${what}: nothing more is taken from it; what runs goes on.`)
  } else if (current) terminal.line(describePause(current))
  if (queue !== null) await noteUnknown(context, punctual, queue)
  return exit.ok
}

/** A queue that nobody has used may be a name that was mistyped. */
async function noteUnknown({ terminal }: CommandContext, punctual: Punctual, queue: string) {
  const known = (await punctual.queues.list()).find((it) => it.queue === queue)
  if (known?.lanes.length === 0)
    terminal.note(`Nothing was ever submitted to the queue ${queue}; it is paused beforehand.`)
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
  const what = queue === null ? 'everything' : `the queue ${queue}`
  const was = queue === null ? 'Not everything was paused.' : `The queue ${queue} was not paused.`
  terminal.line(resumed ? `Resumed ${what}.` : was)
  // What is paused beside it still holds runs up.
  const left = queue === null ? pauses : [pauseOf(pauses, queue)].filter((it) => it !== null)
  for (const pause of left) terminal.note(describePause(pause))
  return exit.ok
}
