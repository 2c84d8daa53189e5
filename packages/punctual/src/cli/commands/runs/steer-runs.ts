/**
 * Shared by the commands that change runs: one run by its id, or many by their ids or a filter.
 * After the first Ctrl-C the current batch completes, and the command reports what was done.
 */
import { PunctualError } from '@punctual/core/errors'
import type { BulkResult, RunFilter, RunState } from '@punctual/core/run'
import type { Command } from 'commander'
import type { BulkOptions } from '../../../runs/bulk.ts'
import { parseCount } from '../../flags/counts.ts'
import { addFilterFlags, type FilterFlags, filterOf, isFiltered } from '../../flags/filter-flags.ts'
import { createProgressLine } from '../../output/progress-line.ts'
import { type ExitCode, exit } from '../../runtime/exit-code.ts'
import type { OperatedRuns, Operator } from '../../runtime/operator.ts'
import type { CommandContext } from '../../runtime/perform.ts'
import type { Terminal } from '../../runtime/terminal.ts'
import { openOperator } from '../../target/open-operator.ts'

const LIMIT_MAX = 1_000_000_000

export interface SteerFlags extends FilterFlags {
  all?: true
  dryRun?: true
  limit?: string
}

export function addSteerFlags(command: Command, states: readonly RunState[]): Command {
  return addFilterFlags(command.argument('[ids...]', 'ids of runs'), states)
    .option('--all', 'every run; required when neither ids nor filters are given')
    .option('--dry-run', 'show how many match and change nothing')
    .option('--limit <n>', 'change at most this many')
}

export interface Steering {
  readonly ids: readonly string[]
  readonly flags: SteerFlags
  /** Changes one run; returns the result as text and as fields. */
  one(runs: OperatedRuns, id: string, nowMs: number): Promise<SteeredRun>
  many(
    runs: OperatedRuns,
    filter: RunFilter,
    options: BulkOptions,
    nowMs: number,
  ): Promise<BulkResult<string>>
}

export interface SteeredRun {
  readonly fields: { readonly result: string } & Readonly<Record<string, unknown>>
  readonly message: string
  readonly ok: boolean
}

export async function steerRuns(context: CommandContext, steering: Steering): Promise<ExitCode> {
  const { ids, flags } = steering
  const limit =
    flags.limit === undefined ? undefined : parseCount('--limit', flags.limit, LIMIT_MAX)
  const bulk = ids.length !== 1 || isFiltered(flags) || flags.dryRun || limit !== undefined
  checkChoice(ids, flags)
  filterOf(flags, context.config.timezone, 0)
  const punctual = await openOperator(context)
  const nowMs = punctual.nowMs()
  return bulk
    ? steerMany(context, punctual, steering, limit)
    : steerOne(
        context,
        ids[0] as string,
        await steering.one(punctual.runs, ids[0] as string, nowMs),
      )
}

function checkChoice(ids: readonly string[], flags: SteerFlags): void {
  const chosen = ids.length > 0 || isFiltered(flags)
  if (chosen !== (flags.all === true)) return
  throw new PunctualError(
    'invalid_option',
    chosen
      ? '--all cannot be combined with ids or filters.'
      : 'Select runs by ids, by filters such as --queue, or with --all.',
    { field: 'ids' },
  )
}

function steerOne({ terminal, json }: CommandContext, id: string, run: SteeredRun): ExitCode {
  if (json) terminal.json({ id, ...run.fields })
  else terminal.line(run.message)
  return run.ok ? exit.ok : exit.failure
}

async function steerMany(
  context: CommandContext,
  punctual: Operator,
  { ids, flags, many }: Steering,
  limit: number | undefined,
): Promise<ExitCode> {
  const { terminal, json, interrupts, config } = context
  const nowMs = punctual.nowMs()
  const filter = { ...filterOf(flags, config.timezone, nowMs), ...(ids.length > 0 && { ids }) }
  const progress = createProgressLine()
  const options: BulkOptions = {
    ...(flags.all && { all: true }),
    ...(flags.dryRun && { dryRun: true }),
    ...(limit !== undefined && { limit }),
    ...(progress && { onProgress: ({ matched }) => progress.show(`${matched} runs`) }),
    signal: interrupts.signal,
  }
  const result = await many(punctual.runs, filter, options, nowMs)
  progress?.clear()
  if (json) terminal.json(result)
  else showResult(terminal, result)
  return interrupts.signal.aborted && !result.complete ? exit.interrupted : exit.ok
}

function showResult(terminal: Terminal, result: BulkResult<string>): void {
  const { dryRun, matched, states, answers, sample, complete } = result
  const words = (counts: Readonly<Record<string, number | undefined>>) =>
    Object.entries(counts)
      .filter(([, count]) => count)
      .map(([word, count]) => `${count} ${word.replace('_', ' ')}`)
      .join(', ')
  const runs = matched === 1 ? '1 run matches' : `${matched} runs match`
  terminal.line(matched === 0 ? 'No run matches.' : `${runs}: ${words(states)}.`)
  if (matched === 0) return
  if (dryRun) {
    terminal.line('Nothing was changed. Without --dry-run, runs such as these would change:')
    for (const id of sample) terminal.line(`  ${id}`)
  } else terminal.line(`${words(answers)}.`)
  if (!complete) terminal.note('There may be more: not all matching runs were processed.')
}
