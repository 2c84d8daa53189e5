/** Flow control: the flags of `submit` and `jobs create`, and how `runs show` prints it. */
import { PunctualError } from '@punctual/core/errors'
import type { ConcurrencyOptions, RateOptions, RunFlow } from '@punctual/core/flow'
import type { Command } from 'commander'
import { showDuration } from './durations.ts'
import { parseInteger } from './integer.ts'

export interface FlowFlags {
  concurrencyKey?: string
  concurrencyLimit?: string
  rate?: string
  rateKey?: string
  rateBurst?: string
}

export function addFlowFlags(command: Command): Command {
  return command
    .option('--concurrency-key <text>', 'limit how many runs with this key run at the same time')
    .option('--concurrency-limit <n>', 'the limit for the concurrency key (default: 1)')
    .option('--rate <n/unit>', 'limit how many runs start: 500/second, 100/minute, 10/hour, 1/day')
    .option('--rate-key <text>', 'runs with this key share the rate (default: the handler)')
    .option('--rate-burst <n>', 'how many may start at once (default: a tenth of the rate)')
}

export function flowOptions(flags: FlowFlags): {
  concurrency?: ConcurrencyOptions
  rate?: RateOptions
} {
  const { concurrencyKey: key, concurrencyLimit: limit, rate, rateKey, rateBurst } = flags
  if (key === undefined) refuseWithout(limit, '--concurrency-limit', '--concurrency-key')
  if (rate === undefined) {
    refuseWithout(rateKey, '--rate-key', '--rate')
    refuseWithout(rateBurst, '--rate-burst', '--rate')
  }
  return {
    ...(key !== undefined && {
      concurrency: {
        key,
        ...(limit !== undefined && { limit: parseInteger('--concurrency-limit', limit) }),
      },
    }),
    ...(rate !== undefined && {
      rate: {
        ...rateOf(rate),
        ...(rateKey !== undefined && { key: rateKey }),
        ...(rateBurst !== undefined && { burst: parseInteger('--rate-burst', rateBurst) }),
      },
    }),
  }
}

function refuseWithout(given: string | undefined, flag: string, needed: string): void {
  if (given === undefined) return
  throw new PunctualError('invalid_option', `${flag} needs ${needed}.`, {
    field: flag,
  })
}

function rateOf(text: string): RateOptions {
  const [, limit, per] = /^(\d+)\/(second|minute|hour|day)$/.exec(text) ?? []
  if (limit !== undefined) return { limit: Number(limit), per: per as 'second' }
  const shown = JSON.stringify(text.slice(0, 80))
  throw new PunctualError(
    'invalid_option',
    `--rate must look like 500/second, 100/minute, 10/hour or 1/day; got ${shown}.`,
    { field: '--rate' },
  )
}

export function concurrencyText({ concurrency }: RunFlow): string | null {
  return concurrency && `at most ${concurrency.limit} at once for ${concurrency.key}`
}

export function rateText({ rate }: RunFlow): string | null {
  return (
    rate && `${rate.limit} per ${showDuration(rate.perMs)} for ${rate.key}, burst ${rate.burst}`
  )
}
