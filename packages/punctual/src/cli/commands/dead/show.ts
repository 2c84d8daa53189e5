/** `punctual dead show <id>`: a dead letter, how it was handled, and its run. */
import type { DeadLetter } from '@punctual/core/dead-letter'
import { PunctualError } from '@punctual/core/errors'
import type { Command } from 'commander'
import { showAge } from '../../flags/durations.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import type { Terminal } from '../../runtime/terminal.ts'
import { openOperator } from '../../target/open-operator.ts'
import { showRun, showRunLog } from '../runs/show.ts'

const LOG_LINES = 10

export function addDeadShow(parent: Command): void {
  const command = parent
    .command('show')
    .description('show one dead letter: run, attempts, error, log, and how it was handled')
    .argument('<id>', 'id of the run')
  addFlags(command, ['database', 'server'])
  command.action((id: string) => perform(command, (context) => showDeadLetter(context, id)))
}

async function showDeadLetter(context: CommandContext, id: string) {
  const { terminal, json } = context
  const punctual = await openOperator(context)
  const deadLetter = await punctual.deadLetters.get(id)
  if (!deadLetter)
    throw new PunctualError('dead_letter_not_found', `Run ${id} is not a dead letter.`, { id })
  if (json) terminal.json(deadLetter)
  else {
    const nowMs = punctual.nowMs()
    showHandling(terminal, deadLetter, deadLetter.checkpoint !== null, nowMs)
    showRun(terminal, deadLetter.run, null, nowMs)
    const earlier = deadLetter.log.length > LOG_LINES
    showRunLog(terminal, id, { lines: deadLetter.log.slice(-LOG_LINES), earlier })
  }
  return exit.ok
}

function showHandling(
  { line, colors }: Terminal,
  { handled, fingerprint, id }: DeadLetter,
  checkpointed: boolean,
  nowMs: number,
): void {
  const field = (name: string, value: string) => line(`${colors.dim(name.padEnd(10))} ${value}`)
  if (handled) {
    const by = handled.by ? ` by ${handled.by}` : ''
    const as = handled.replayedAs ? `${handled.as} as ${handled.replayedAs}` : handled.as
    field('handled', `${as}, ${showAge(handled.at, nowMs)}${by}`)
    if (handled.note) field('note', handled.note)
  } else field('handled', `no; \`punctual dead replay ${id}\` runs it again`)
  field('cause', fingerprint)
  if (checkpointed && !handled)
    field('checkpoint', 'available; `punctual dead replay --from-checkpoint` resumes from it')
}
