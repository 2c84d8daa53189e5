/** Prints the log of a run as it is written, for `runs tail` and `run`. */
import { PunctualError } from '@punctual/core/errors'
import { type FinishedRun, isFinal, type LogPosition, type Run } from '@punctual/core/run'
import { systemClock } from '@punctual/store'
import type { Operator } from '../runtime/operator.ts'
import type { CommandContext } from '../runtime/perform.ts'
import { printLogLine, readLog, readLogEnd } from './log-lines.ts'
import { stateColour } from './state-colour.ts'

const LOG_POLL_MS = 250
/** How many existing lines are printed first. */
const LINES_FIRST = 1_000

/** Polls, so that lines may be one poll interval old. Returns the run when it has ended. */
export async function followLog(
  context: CommandContext,
  { runs }: Operator,
  id: string,
): Promise<FinishedRun> {
  let after: LogPosition | undefined
  for (let first = true; ; first = false) {
    // The state is read before the lines: a run's log is stored before the run ends, so none is
    // missed.
    const run = await runs.get(id)
    if (run === null) throw runNotFound(id)
    const { lines, earlier } = first
      ? await readLogEnd(runs, id, LINES_FIRST)
      : { lines: await readLog(runs, id, after), earlier: false }
    if (earlier)
      context.terminal.note(`Earlier lines are omitted; \`punctual runs logs ${id}\` shows all.`)
    for (const line of lines) printLogLine(context.terminal, line, context.json)
    after = lines.at(-1) ?? after
    if (isFinished(run)) {
      const tries = run.attempts.length === 1 ? '1 attempt' : `${run.attempts.length} attempts`
      const state = stateColour(context.terminal.colors, run.state)
      if (!context.json) context.terminal.note(`Run ${id}: ${state} after ${tries}.`)
      return run
    }
    await systemClock.sleep(LOG_POLL_MS, context.interrupts.signal)
  }
}

function isFinished(run: Run): run is FinishedRun {
  return isFinal(run.state)
}

export function runNotFound(id: string): PunctualError {
  return new PunctualError(
    'run_not_found',
    `Run ${id} does not exist. It may be older than the retention, or belong to another schema.`,
    { id },
  )
}
