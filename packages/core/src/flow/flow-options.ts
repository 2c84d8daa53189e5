/** The options of flow control, as rows of an option table. */
import { limits } from '../errors/limits.ts'
import { checkedBy, integer, unchecked } from '../option/kinds.ts'
import type { Kind, OptionTable } from '../option/option.ts'
import {
  type CheckedFlow,
  type ConcurrencyOptions,
  checkConcurrency,
  checkRate,
  type FlowKey,
  type RateOptions,
  rateUnits,
} from './flow.ts'

const flowKey: Kind<FlowKey> = unchecked({ type: 'flow-key' })

const concurrencyMembers = {
  key: {
    kind: flowKey,
    required: true,
    help: 'limit how many runs with this key run at the same time',
    flag: '--concurrency-key <text>',
  },
  limit: {
    kind: integer(1, limits.concurrencyMax),
    default: 1,
    help: 'the limit for the concurrency key',
    flag: '--concurrency-limit <n>',
  },
} as const satisfies OptionTable

const rateMembers = {
  limit: {
    kind: integer(1, limits.rateMax),
    required: true,
    help: 'limit how many runs start',
    flag: '--rate <n/unit>',
    flagHelp: 'limit how many runs start: 500/second, 100/minute, 10/hour, 1/day',
  },
  per: {
    kind: unchecked<NonNullable<RateOptions['per']>>({
      type: 'per',
      units: rateUnits,
      max: limits.ratePerMsMax,
    }),
    default: 'second',
    help: 'the unit of time of the rate',
    flag: null,
  },
  key: {
    kind: flowKey,
    defaultShown: 'the handler',
    help: 'runs with this key share the rate',
    flag: '--rate-key <text>',
  },
  burst: {
    kind: integer(1, limits.rateMax),
    defaultShown: 'a tenth of the rate',
    help: 'how many may start at once',
    flag: '--rate-burst <n>',
  },
} as const satisfies OptionTable

export const concurrencyKind: Kind<
  ConcurrencyOptions,
  NonNullable<CheckedFlow['concurrency']>
> = checkedBy({ type: 'members', members: concurrencyMembers }, checkConcurrency)

export const rateKind: Kind<RateOptions, NonNullable<CheckedFlow['rate']>> = checkedBy(
  { type: 'members', members: rateMembers },
  checkRate,
)
