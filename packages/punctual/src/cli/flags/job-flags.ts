/** The flags of `punctual jobs create`, as options of the library. */
import { checkJsonText } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import type { JobOptions, MisfireRules, Overlap } from '@punctual/core/job'
import { dayRules, foldPolicies, gapPolicies, zoneOf } from '@punctual/core/schedule'
import { type Command, Option } from 'commander'
import type { Config } from '../../config/settings.ts'
import { addDeliveryFlags, type DeliveryFlags, deliveryOptions } from './delivery-flags.ts'
import { parseDuration } from './durations.ts'
import { addFlowFlags, type FlowFlags, flowOptions } from './flow-flags.ts'
import { parseInstantIn } from './instants.ts'
import { parseInteger } from './integer.ts'
import { createdBy, labelsOf, readPayload } from './submit-flags.ts'

export interface JobFlags extends DeliveryFlags, FlowFlags {
  handler: string
  cron?: string
  every?: string
  everyAfterEnd?: string
  at?: string
  delay?: string
  payload?: string
  tz?: string
  startAt?: string
  endAt?: string
  maxRuns?: string
  jitter?: string
  exact?: true
  calendar?: string[]
  dstGap?: (typeof gapPolicies)[number]
  dstFold?: (typeof foldPolicies)[number]
  dayRule?: (typeof dayRules)[number]
  misfire?: MisfireRules['policy']
  misfireGrace?: string
  misfireMaxAge?: string
  misfireMaxCount?: string
  misfireDrip?: string
  overlap?: Overlap
  pauseAfterFailures?: string
  description?: string
  owner?: string
  label?: string[]
  source?: string
  queue?: string
  priority?: string
  maxAttempts?: string
  timeout?: string
}

const misfires = ['all', 'latest', 'none'] as const satisfies readonly MisfireRules['policy'][]
const overlaps: readonly Overlap[] = [
  ...(['allow', 'skip', 'queue-one', 'queue-all', 'cancel-previous'] as const),
  'terminate-previous',
]

export function addJobFlags(command: Command): Command {
  const choice = (flags: string, help: string, choices: readonly string[], unset = choices[0]) =>
    new Option(flags, `${help} (default: ${unset})`).choices(choices)
  const named = command
    .requiredOption('--handler <name>', 'the handler that runs')
    .option('--cron <expression>', "a cron expression: '0 2 * * *', '@daily'")
    .option('--every <time>', 'a fixed rate: 5s, 1h30m, P1M, R5/2026-01-01T00:00:00Z/PT1H')
    .option('--every-after-end <time>', 'wait this long after the previous run ends')
    .option('--at <time>', 'run once at this time: 2030-01-31T12:00:00Z, or +5m from now')
    .option('--delay <time>', 'run once after this long')
    .option('--payload <json>', 'JSON; @file reads a file, - reads standard input (default: null)')
    .option('--tz <zone>', 'time zone, such as Europe/Berlin (default: the setting timezone)')
    .option('--start-at <time>', 'no slots before this time (default: now)')
    .option('--end-at <time>', 'no slots at or after this time')
    .option('--max-runs <n>', 'stop after this many runs (default: no limit)')
    .option('--jitter <time>', 'delay runs by a fixed part of this (default: the setting jitterMs)')
    .option('--exact', 'no jitter, regardless of the setting jitterMs')
    .option('--calendar <name...>', 'run only when this calendar allows it; may be repeated')
    .addOption(
      choice(
        '--dst-gap <policy>',
        'local times that do not exist when clocks go forward',
        gapPolicies,
      ),
    )
    .addOption(
      choice(
        '--dst-fold <policy>',
        'local times that occur twice when clocks go back',
        foldPolicies,
      ),
    )
    .addOption(choice('--day-rule <rule>', 'how day of month and weekday combine', dayRules))
    .addOption(choice('--misfire <policy>', 'slots missed while no planner ran', misfires))
    .option('--misfire-grace <time>', 'a slot this late counts as missed (default: 1m)')
    .option('--misfire-max-age <time>', 'all: older slots become one run (default: 1h)')
    .option('--misfire-max-count <n>', 'all: at most this many single runs (default: 1000)')
    .option('--misfire-drip <time>', 'pause between catch-up runs (default: 0)')
    .addOption(
      choice('--overlap <policy>', 'when the previous run is still running', overlaps, 'skip'),
    )
    .option('--pause-after-failures <n>', 'pause the job after this many dead runs in a row')
    .option('--description <text>', 'what the job is for')
    .option('--owner <text>', 'who is responsible for it')
    .option('--label <name=value...>', 'label of the job and of its runs; may be repeated')
    .option('--source <name>', 'the source that declares it; see `jobs apply`')
    .option('--queue <name>', 'queue of its runs (default: default)')
    .option('--priority <n>', '0 to 10, higher first (default: 5)')
    .option('--max-attempts <n>', 'attempts for each run, including the first (default: 3)')
    .option('--timeout <time>', 'time limit of one attempt (default: 5m)')
  return addFlowFlags(addDeliveryFlags(named))
}

export function jobOptions(
  name: string,
  flags: JobFlags,
  config: Config,
  nowMs: number,
): JobOptions {
  const tz = zoneOf(flags.tz ?? config.timezone).name
  const instant = (flag: string, text: string) => parseInstantIn(flag, text, tz, nowMs)
  const payload = (text: string) => checkJsonText(readPayload(text), 'payload', config.payloadBytes)
  const { handler, tz: timezone, cron, every, everyAfterEnd } = flags
  const misfire = misfireOf(flags)
  const given = {
    ...{ name, handler, cron, every, everyAfterEnd, timezone, ...onceOf(flags, instant) },
    payload: flags.payload === undefined ? undefined : payload(flags.payload),
    startAt: flags.startAt === undefined ? undefined : instant('--start-at', flags.startAt),
    endAt: flags.endAt === undefined ? undefined : instant('--end-at', flags.endAt),
    maxRuns: whole('--max-runs', flags.maxRuns),
    jitterMs: duration('--jitter', flags.jitter),
    exact: flags.exact,
    calendars: flags.calendar,
    dst: flags.dstGap || flags.dstFold ? dstOf(flags) : undefined,
    dayRule: flags.dayRule,
    misfire: Object.keys(misfire).length > 0 ? misfire : undefined,
    overlap: flags.overlap,
    pauseAfterFailures: whole('--pause-after-failures', flags.pauseAfterFailures),
    ...{ description: flags.description, owner: flags.owner, source: flags.source },
    labels: flags.label && labelsOf(flags.label),
    ...{ queue: flags.queue, priority: whole('--priority', flags.priority) },
    maxAttempts: whole('--max-attempts', flags.maxAttempts),
    timeoutMs: duration('--timeout', flags.timeout),
    ...deliveryOptions(flags),
    ...flowOptions(flags),
    createdBy: createdBy(),
  }
  return defined(given) as unknown as JobOptions
}

type ParseInstant = (flag: string, text: string) => Date

/** A time from now is sent as a delay, because the database's clock measures it. */
function onceOf(flags: JobFlags, instant: ParseInstant): { at?: Date; delayMs?: number } {
  const names = ['--cron', '--every', '--every-after-end', '--at', '--delay']
  const { cron, every, everyAfterEnd, at, delay } = flags
  const given = names.filter((_, i) => [cron, every, everyAfterEnd, at, delay][i] !== undefined)
  if (given.length !== 1)
    throw new PunctualError(
      'invalid_option',
      `A job needs exactly one of ${names.join(', ')}; got ${given.length === 0 ? 'none' : given.join(' and ')}.`,
      { field: given[1] ?? '--cron' },
    )
  if (delay !== undefined) return { delayMs: parseDuration('--delay', delay) }
  if (at === undefined) return {}
  if (at.startsWith('+')) return { delayMs: parseDuration('--at', at.slice(1)) }
  return { at: instant('--at', at) }
}

function dstOf({ dstGap, dstFold }: JobFlags): NonNullable<JobOptions['dst']> {
  return defined({ gap: dstGap, fold: dstFold }) as NonNullable<JobOptions['dst']>
}

function misfireOf(flags: JobFlags): Partial<MisfireRules> {
  return defined({
    policy: flags.misfire,
    graceMs: duration('--misfire-grace', flags.misfireGrace),
    maxAgeMs: duration('--misfire-max-age', flags.misfireMaxAge),
    maxCount: whole('--misfire-max-count', flags.misfireMaxCount),
    dripMs: duration('--misfire-drip', flags.misfireDrip),
  }) as Partial<MisfireRules>
}

function whole(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseInteger(flag, text)
}

function duration(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(flag, text)
}

/** Drops undefined values, so that the defaults apply. */
function defined<T extends object>(values: T): Partial<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Partial<T>
}
