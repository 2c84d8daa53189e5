/** `punctual submit <handler> [payload]`: hands in one run, and waits for its end when asked to. */
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { checkJsonText, type FinishedRun, PunctualError, type SubmitOptions } from '@punctual/core'
import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { parseDuration, parseMoment, showDuration } from '../durations.ts'
import { exit } from '../exit-code.ts'
import { openPunctual } from '../open-punctual.ts'
import { type CommandContext, perform } from '../perform.ts'
import { addFlags } from '../setting-flags.ts'
import { stateColour } from '../state-colour.ts'
import type { Terminal } from '../terminal.ts'

interface Flags {
  runAt?: string
  delay?: string
  priority?: string
  queue?: string
  maxAttempts?: string
  timeout?: string
  key?: string
  label?: string[]
  strict?: true
  wait?: true
  waitTimeout?: string
}

export function addSubmit(program: Command): void {
  const command = program
    .command('submit')
    .description('submit one run of a handler, wherever the handler lives')
    .argument('<handler>', 'the name of the handler')
    .argument('[payload]', 'JSON; @file reads a file, - reads the input (default: null)')
    .option('--run-at <time>', 'when to run: 2030-01-31T12:00:00Z, or +5m from now')
    .option('--delay <time>', 'run this long from now: 500ms, 10s, 5m, 2h, 1d')
    .option('--priority <n>', '0 to 10, higher first (default: 5)')
    .option('--queue <name>', 'the queue (default: default)')
    .option('--max-attempts <n>', 'attempts, the first included (default: 3)')
    .option('--timeout <time>', 'how long one attempt may take (default: 5m)')
    .option('--key <text>', 'one live run per key: while one is live, it is returned instead')
    .option('--label <name=value...>', 'for finding runs; may be repeated')
    .option('--strict', 'refuse when no live worker has the handler')
    .option('--wait', 'wait until the run has ended, and show how')
    .option('--wait-timeout <time>', 'give up waiting after this long; the run goes on')
  addFlags(command, ['database'])
  command.action((handler: string, payload: string | undefined, flags: Flags) =>
    perform(command, (context) => submitRun(context, handler, payload, flags)),
  )
}

async function submitRun(
  context: CommandContext,
  handler: string,
  payload: string | undefined,
  flags: Flags,
) {
  const { terminal, json } = context
  const value = payload === undefined ? null : checkJsonText(readPayload(payload))
  const options = submitOptions(flags)
  const timeoutMs = flags.waitTimeout && parseDuration('--wait-timeout', flags.waitTimeout)
  const punctual = await openPunctual(context)
  const submitted = await punctual.submit(handler, value, options)
  if (!flags.wait) {
    if (json) terminal.json(submitted)
    else if (submitted.created) terminal.line(`Submitted ${submitted.id}`)
    else terminal.line(`A live run has this key: ${submitted.id}`)
    return exit.ok
  }
  if (!json) terminal.note(`Submitted ${submitted.id}; waiting for its end.`)
  const run = await punctual.runs.waitFor(submitted.id, {
    signal: context.interrupts.signal,
    ...(timeoutMs && { timeoutMs }),
  })
  if (json) terminal.json({ ...submitted, run })
  else showEnd(terminal, run)
  return run.state === 'succeeded' ? exit.ok : exit.notSucceeded
}

function showEnd(terminal: Terminal, run: FinishedRun): void {
  const tries = run.attempts.length === 1 ? '1 attempt' : `${run.attempts.length} attempts`
  const took = showDuration(run.finishedAt.getTime() - run.createdAt.getTime())
  terminal.line(`${stateColour(terminal.colors, run.state)} after ${tries}, ${took}`)
  if (run.output !== null) terminal.line(JSON.stringify(run.output))
  if (run.error) terminal.line(`${run.error.name}: ${run.error.message}`)
}

function readPayload(argument: string): string {
  const path = argument === '-' ? 0 : argument.startsWith('@') ? argument.slice(1) : null
  if (path === null) return argument
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const name = path === 0 ? 'the standard input' : path
    throw new CliError(
      'file_unreadable',
      `The payload cannot be read from ${name}: ${(cause as Error).message}`,
      { cause },
    )
  }
}

function submitOptions(flags: Flags): SubmitOptions {
  const wholes = { priority: flags.priority, maxAttempts: flags.maxAttempts }
  const numbers = Object.entries(wholes).filter(([, text]) => text !== undefined)
  return {
    ...Object.fromEntries(numbers.map(([name, text]) => [name, wholeNumber(name, text as string)])),
    ...timeOf(flags),
    ...(flags.timeout !== undefined && { timeoutMs: parseDuration('--timeout', flags.timeout) }),
    ...(flags.queue !== undefined && { queue: flags.queue }),
    ...(flags.key !== undefined && { key: flags.key }),
    ...(flags.label !== undefined && { labels: labelsOf(flags.label) }),
    ...(flags.strict && { strict: true }),
    createdBy: `cli:${userName()}`,
  }
}

/** A time from now is a delay, which the database's clock measures. */
function timeOf({ runAt, delay }: Flags): Pick<SubmitOptions, 'runAt' | 'delayMs'> {
  const relative = runAt?.startsWith('+') && delay === undefined ? runAt.slice(1) : delay
  return {
    ...(relative !== undefined && {
      delayMs: parseDuration(delay ? '--delay' : '--run-at', relative),
    }),
    ...(runAt !== undefined &&
      relative !== runAt.slice(1) && { runAt: parseMoment('--run-at', runAt, Date.now()) }),
  }
}

function wholeNumber(field: string, text: string): number {
  if (/^-?\d+$/.test(text)) return Number(text)
  const shown = JSON.stringify(text.slice(0, 80))
  throw new PunctualError('invalid_option', `${field} must be a whole number, but ${shown} came.`, {
    field,
  })
}

function labelsOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, value] = pair.split(/=(.*)/s)
      if (name && value !== undefined) return [name, value]
      const shown = JSON.stringify(pair.slice(0, 80))
      throw new PunctualError('invalid_option', `--label takes name=value, but ${shown} came.`, {
        field: '--label',
      })
    }),
  )
}

/** Containers may run as a user that has no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
