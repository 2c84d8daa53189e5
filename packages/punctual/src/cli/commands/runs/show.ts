/** `punctual runs show <id>`: one run, why it is not running, and the end of its log. */
import {
  type Attempt,
  type FinishedRun,
  isFinal,
  type LogLine,
  type Run,
  type RunExplanation,
} from '@punctual/core/run'
import type { Command } from 'commander'
import { showAge, showDuration } from '../../flags/durations.ts'
import { runNotFound } from '../../output/follow-log.ts'
import { printLogLine, readLogEnd } from '../../output/log-lines.ts'
import { concurrencyText, deliveryText, rateText, targetText } from '../../output/policy-text.ts'
import { stateColour } from '../../output/state-colour.ts'
import { showTable } from '../../output/table.ts'
import { exit } from '../../runtime/exit-code.ts'
import type { OperatedRuns } from '../../runtime/operator.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import type { Terminal } from '../../runtime/terminal.ts'
import { openOperator } from '../../target/open-operator.ts'

const LOG_LINES = 10

export function addRunsShow(parent: Command): void {
  const command = parent
    .command('show')
    .description(
      'show one run: payload, attempts, error, output, why it is not running, and its last log lines',
    )
    .argument('<id>', 'id of the run')
  addFlags(command, ['database', 'server'])
  command.action((id: string) => perform(command, (context) => showOne(context, id)))
}

async function showOne(context: CommandContext, id: string) {
  const punctual = await openOperator(context)
  const run = await findRun(punctual.runs, id)
  const explanation = await punctual.runs.explain(run)
  const log = await readLogEnd(punctual.runs, id, LOG_LINES)
  if (context.json) context.terminal.json({ ...run, explanation, log })
  else {
    const nowMs = punctual.nowMs()
    showRun(context.terminal, run, obstaclesOf(explanation), nowMs)
    showRunLog(context.terminal, id, log)
  }
  return exit.ok
}

/** The reasons why a run has not started, in one line; null when it runs or has ended. */
function obstaclesOf({ reasons }: RunExplanation): string | null {
  const obstacles = reasons.filter(({ code }) => code !== 'ended')
  return obstacles.length === 0 ? null : obstacles.map(({ detail }) => detail).join(' ')
}

export async function findRun(runs: Pick<OperatedRuns, 'get'>, id: string): Promise<Run> {
  const run = await runs.get(id)
  if (run) return run
  throw runNotFound(id)
}

export function showRun(terminal: Terminal, run: Run, why: string | null, nowMs: number): void {
  const { colors } = terminal
  const at = (instant: Date | null) =>
    instant ? `${instant.toISOString()} (${showAge(instant, nowMs)})` : null
  const field = (name: string, value: string | number | null | undefined) => {
    if (value !== null && value !== undefined && value !== '')
      terminal.line(`${colors.dim(name.padEnd(10))} ${value}`)
  }
  field('run', run.id)
  field('state', colors.bold(stateColour(colors, run.state)))
  if (why) field('why', why)
  field('target', targetText(run.target))
  field('handler', `${run.handler} (queue ${run.queue}, priority ${run.priority})`)
  field('payload', JSON.stringify(run.payload))
  field('due', at(run.dueAt))
  if ('nextAt' in run && run.nextAt.getTime() !== run.dueAt.getTime()) field('next', at(run.nextAt))
  if (run.expiresAt) field('expires', at(run.expiresAt))
  field('created', at(run.createdAt))
  field('by', run.createdBy)
  field('edited', at(run.editedAt))
  field('key', run.key)
  field('replay of', run.replayOf)
  field('replayed', run.replayedAs && `as ${run.replayedAs}`)
  field(
    'labels',
    Object.entries(run.labels)
      .map((pair) => pair.join('='))
      .join(' '),
  )
  field('attempts', `at most ${run.maxAttempts}, each up to ${showDuration(run.timeoutMs)}`)
  field('delivery', deliveryText(run.delivery, run.policy.heartbeatMs ?? null))
  field('concurrency', concurrencyText(run))
  field('rate', rateText(run))
  if (run.possibleDuplicate)
    field('note', 'more than one attempt has started: its effects may have happened twice')
  if (run.state === 'running' || run.state === 'cancelling') {
    field('cancelling', run.cancelReason)
    field('claimed', at(run.claimedAt))
    field('worker', run.workerId)
    if (run.progress !== null) field('progress', JSON.stringify(run.progress))
  }
  if (run.state === 'awaiting') {
    field('claimed', at(run.claimedAt))
    field('awaited until', at(run.deadlineAt))
    field('status', run.statusUrl)
    if (run.progress !== null) field('progress', JSON.stringify(run.progress))
  }
  if ('finishedAt' in run) {
    field('started', at(run.startedAt))
    if (run.latenessMs !== null) field('late by', showDuration(Math.max(0, run.latenessMs)))
    field('ended', at(run.finishedAt))
    field('reason', run.reason)
    field('resolved', run.resolved && describeResolution(run.resolved))
    if (run.output !== null) field('output', JSON.stringify(run.output))
  }
  showAttempts(terminal, run.attempts)
  if (isFinal(run.state) && 'error' in run && run.error)
    terminal.line(`\n${colors.red(run.error.stack ?? `${run.error.name}: ${run.error.message}`)}`)
}

function describeResolution({ as, at, by, note }: NonNullable<FinishedRun['resolved']>): string {
  return `${as}, ${at.toISOString()}${by ? ` by ${by}` : ''}${note ? `: ${note}` : ''}`
}

export function showRunLog(
  terminal: Terminal,
  id: string,
  { lines, earlier }: { lines: readonly LogLine[]; earlier: boolean },
): void {
  if (lines.length === 0) return
  const all = `\`punctual runs logs ${id}\` shows all`
  terminal.line(`\n${terminal.colors.dim(earlier ? `last lines of the log; ${all}` : 'log')}`)
  for (const line of lines) printLogLine(terminal, line, false)
}

function showAttempts(terminal: Terminal, attempts: readonly Attempt[]): void {
  if (attempts.length === 0) return
  terminal.line()
  showTable(
    terminal,
    ['ATTEMPT', 'OUTCOME', 'STARTED', 'TOOK', 'WORKER', 'ERROR'],
    attempts.map(({ attempt, outcome, startedAt, endedAt, workerId, error }) => [
      attempt,
      stateColour(terminal.colors, outcome),
      startedAt?.toISOString() ?? '-',
      startedAt ? showDuration(endedAt.getTime() - startedAt.getTime()) : '-',
      workerId ?? '-',
      error ? `${error.name}: ${error.message}` : '',
    ]),
    ['WORKER'],
  )
}
