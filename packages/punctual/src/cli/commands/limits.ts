/** `punctual limits`: what limits queues, or all of them together: list, set and remove. */
import type { LimitOptions } from '@punctual/core/flow'
import type { LimitInForce } from '@punctual/store'
import type { Command } from 'commander'
import { parseDuration, showDuration } from '../flags/durations.ts'
import { flowOptions } from '../flags/flow-flags.ts'
import { wholeNumber } from '../flags/integer.ts'
import { createdBy } from '../flags/submit-flags.ts'
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

const QUEUE = 'the queue (default: all queues together)'

export function addLimitsList(parent: Command): void {
  const command = parent
    .command('list', { isDefault: true })
    .description('show what limits queues, and how much of it is used')
  addFlags(command, ['database'])
  command.action(() => perform(command, list))
}

export function addLimitsSet(parent: Command): void {
  const command = parent
    .command('set')
    .description('set what limits a queue or all of them, in place of what was set before')
    .option('--queue <name>', QUEUE)
    .option('--concurrency <n>', 'how many runs may go on at once, in the whole fleet')
    .option('--rate <n/unit>', 'how many may start in a time: 500/second, 100/minute, 10/hour')
    .option('--rate-burst <n>', 'how many may start at once (default: a tenth of the rate)')
    .option('--ageing <time>', 'after waiting so long a run counts as of the next higher priority')
    .option('--weight <n>', 'the part of workers beside other tenants; not of a queue (default: 1)')
  addFlags(command, ['database'])
  command.action((flags: Flags) => perform(command, (context) => set(context, flags)))
}

export function addLimitsRemove(parent: Command): void {
  const command = parent
    .command('remove')
    .description('end the limits of a queue, or those of all of them together')
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
    ['QUEUE', 'AT ONCE', 'RATE', 'NEXT START', 'AGEING', 'WEIGHT', 'SET BY'],
    all.map(({ queue, concurrency, running, rate, freeAt, ageingMs, weight, setBy }) => [
      queue ?? '(all together)',
      concurrency === null ? '-' : `${running} of ${concurrency}`,
      rate ? `${rate.limit} in ${showDuration(rate.perMs)}, ${rate.burst} at once` : '-',
      rate ? (freeAt?.toISOString() ?? 'now') : '-',
      ageingMs === null ? '-' : showDuration(ageingMs),
      weight ?? '-',
      setBy ?? '-',
    ]),
  )
}

function optionsOf({ queue, concurrency, ageing, weight, ...rate }: Flags): LimitOptions {
  return {
    ...(queue !== undefined && { queue }),
    ...(concurrency !== undefined && { concurrency: wholeNumber('--concurrency', concurrency) }),
    ...flowOptions(rate),
    ...(ageing !== undefined && { ageingMs: parseDuration('--ageing', ageing) }),
    ...(weight !== undefined && { weight: wholeNumber('--weight', weight) }),
    by: createdBy(),
  } as LimitOptions
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
  const whose = queue === undefined ? 'all queues together' : `the queue ${queue}`
  if (json) terminal.json({ queue: queue ?? null, result: removed ? 'removed' : 'not_limited' })
  else terminal.line(removed ? `Removed the limits of ${whose}.` : `${whose} had no limits.`)
  return exit.ok
}
