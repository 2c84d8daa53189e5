/** `punctual limits list|set|remove`: the limits of one queue, or of all queues together. */
import { PunctualError } from '@punctual/core/errors'
import type { LimitOptions } from '@punctual/core/flow'
import type { LimitInForce } from '@punctual/core/queue'
import type { Command } from 'commander'
import { createdBy } from '../flags/created-by.ts'
import { parseDuration, showDuration } from '../flags/durations.ts'
import { parseInteger } from '../flags/integer.ts'
import { parseRate } from '../flags/rate.ts'
import { showTable } from '../output/table.ts'
import { exit } from '../runtime/exit-code.ts'
import { type CommandContext, perform } from '../runtime/perform.ts'
import { addFlags } from '../runtime/setting-flags.ts'
import { openPunctual } from '../target/open-punctual.ts'

interface Flags {
  queue?: string
  concurrency?: string
  rate?: string
  rateBurst?: string
  ageing?: string
  weight?: string
}

const QUEUE = 'the queue (default: one limit for all queues together)'

export function addLimitsList(parent: Command): void {
  const command = parent
    .command('list', { isDefault: true })
    .description('list limits and their current use')
  addFlags(command, ['database'])
  command.action(() => perform(command, list))
}

export function addLimitsSet(parent: Command): void {
  const command = parent
    .command('set')
    .description('set the limits of a queue or of all queues together, replacing earlier ones')
    .option('--queue <name>', QUEUE)
    .option('--concurrency <n>', 'maximum number of concurrent runs, across all workers')
    .option('--rate <n/unit>', 'maximum rate of starts: 500/second, 100/minute, 10/hour, 1/day')
    .option('--rate-burst <n>', 'how many may start at once (default: a tenth of the rate)')
    .option(
      '--ageing <time>',
      'raise the priority of a run by one for each time it waits this long',
    )
    .option('--weight <n>', 'share of worker capacity relative to other tenants; tenant-wide only')
  addFlags(command, ['database'])
  command.action((flags: Flags) => perform(command, (context) => set(context, flags)))
}

export function addLimitsRemove(parent: Command): void {
  const command = parent
    .command('remove')
    .description('remove the limits of a queue, or of all queues together')
    .option('--queue <name>', QUEUE)
  addFlags(command, ['database'])
  command.action((flags: Flags) => perform(command, (context) => remove(context, flags.queue)))
}

async function list(context: CommandContext) {
  const { terminal, json } = context
  const { limits } = await openPunctual(context)
  const all = await limits.list()
  if (json) terminal.json(all)
  else if (all.length === 0)
    terminal.line('No limits are set. Set one: punctual limits set --queue mail --concurrency 10')
  else showRows(context, all)
  return exit.ok
}

function showRows({ terminal }: CommandContext, all: readonly LimitInForce[]): void {
  showTable(
    terminal,
    ['QUEUE', 'CONCURRENCY', 'RATE', 'NEXT START', 'AGEING', 'WEIGHT', 'SET BY'],
    all.map(({ queue, concurrency, running, rate, freeAt, ageingMs, weight, setBy }) => [
      queue ?? '(all together)',
      concurrency === null ? '-' : `${running} of ${concurrency}`,
      rate ? `${rate.limit} per ${showDuration(rate.perMs)}, burst ${rate.burst}` : '-',
      rate ? (freeAt?.toISOString() ?? 'now') : '-',
      ageingMs === null ? '-' : showDuration(ageingMs),
      weight ?? '-',
      setBy ?? '-',
    ]),
  )
}

function optionsOf(flags: Flags): LimitOptions {
  const { queue, concurrency, rate, rateBurst, ageing, weight } = flags
  if (rate === undefined && rateBurst !== undefined)
    throw new PunctualError('invalid_option', '--rate-burst needs --rate.', {
      field: '--rate-burst',
    })
  return {
    ...(queue !== undefined && { queue }),
    ...(concurrency !== undefined && { concurrency: parseInteger('--concurrency', concurrency) }),
    ...(rate !== undefined && { rate: rateOf(rate, rateBurst) }),
    ...(ageing !== undefined && { ageingMs: parseDuration('--ageing', ageing) }),
    ...(weight !== undefined && { weight: parseInteger('--weight', weight) }),
    by: createdBy(),
  } as LimitOptions
}

function rateOf(rate: string, burst: string | undefined): LimitOptions['rate'] {
  return {
    ...parseRate(rate),
    ...(burst !== undefined && { burst: parseInteger('--rate-burst', burst) }),
  }
}

async function set(context: CommandContext, flags: Flags) {
  const { limits } = await openPunctual(context)
  await limits.set(optionsOf(flags))
  return list(context)
}

async function remove(context: CommandContext, queue: string | undefined) {
  const { terminal, json } = context
  const { limits } = await openPunctual(context)
  const removed = await limits.remove(queue)
  const owner = queue === undefined ? 'all queues together' : `the queue ${queue}`
  if (json) terminal.json({ queue: queue ?? null, result: removed ? 'removed' : 'not_limited' })
  else
    terminal.line(removed ? `Removed the limits of ${owner}.` : `No limits were set for ${owner}.`)
  return exit.ok
}
