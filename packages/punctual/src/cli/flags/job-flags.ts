/** What the flags of `punctual jobs create` say, as the options of the library. */
import { checkJsonText } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import type { JobOptions, MisfireRules, Overlap } from '@punctual/core/job'
import { dayRules, foldPolicies, gapPolicies, zoneOf } from '@punctual/core/schedule'
import { type Command, Option } from 'commander'
import type { Config } from '../../config/settings.ts'
import { addDeliveryFlags, type DeliveryFlags, deliveryOptions } from './delivery-flags.ts'
import { parseDuration } from './durations.ts'
import { addFlowFlags, type FlowFlags, flowOptions } from './flow-flags.ts'
import { parseMomentIn } from './instants.ts'
import { wholeNumber } from './integer.ts'
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
  const choice = (flags: string, about: string, choices: readonly string[]) =>
    new Option(flags, `${about}: ${choices.join(', ')}`).choices(choices)
  const named = command
    .requiredOption('--handler <name>', 'what runs')
    .option('--cron <expression>', "a cron expression: '0 2 * * *', '@daily'")
    .option('--every <time>', 'a fixed rate: 5s, 1h30m, P1M, R5/2026-01-01T00:00:00Z/PT1H')
    .option('--every-after-end <time>', 'so long after the run before has ended')
    .option('--at <time>', 'once: 2030-01-31T12:00:00Z, or +5m from now')
    .option('--delay <time>', 'once, so long from now')
    .option('--payload <json>', 'JSON; @file reads a file, - reads the input (default: null)')
    .option('--tz <zone>', 'the time zone: Europe/Berlin (default: the setting timezone)')
    .option('--start-at <time>', 'no slot before this (default: now)')
    .option('--end-at <time>', 'no slot from this on')
    .option('--max-runs <n>', 'the most runs that are made')
    .option('--jitter <time>', 'move its runs by a part of this (default: the setting jitterMs)')
    .option('--exact', 'not moved, whatever the setting jitterMs says')
    .option('--calendar <name...>', 'only when these calendars allow it; may be repeated')
    .addOption(choice('--dst-gap <policy>', 'a fixed time that clocks go over', gapPolicies))
    .addOption(choice('--dst-fold <policy>', 'a fixed time that comes twice', foldPolicies))
    .addOption(choice('--day-rule <rule>', 'how both day fields combine', dayRules))
    .addOption(choice('--misfire <policy>', 'slots missed while nothing ran', misfires))
    .option('--misfire-grace <time>', 'a slot is missed when it is this late (default: 1m)')
    .option('--misfire-max-age <time>', 'with all: older ones become one run (default: 1h)')
    .option('--misfire-max-count <n>', 'with all: so many single runs at most (default: 1000)')
    .option('--misfire-drip <time>', 'the pause between runs that make up (default: 0)')
    .addOption(choice('--overlap <policy>', 'when its run before still goes on', overlaps))
    .option('--pause-after-failures <n>', 'pause it after so many dead runs in a row')
    .option('--description <text>', 'what it is for')
    .option('--owner <text>', 'whom to ask')
    .option('--label <name=value...>', 'kept with each of its runs; may be repeated')
    .option('--source <name>', 'who declares it; `jobs apply` of a source owns its jobs')
    .option('--queue <name>', 'the queue of its runs (default: default)')
    .option('--priority <n>', '0 to 10, higher first (default: 5)')
    .option('--max-attempts <n>', 'attempts of a run, the first included (default: 3)')
    .option('--timeout <time>', 'how long one attempt may take (default: 5m)')
  return addFlowFlags(addDeliveryFlags(named))
}

export function jobOptions(
  name: string,
  flags: JobFlags,
  config: Config,
  nowMs: number,
): JobOptions {
  const tz = zoneOf(flags.tz ?? config.timezone).name
  const moment = (flag: string, text: string) => parseMomentIn(flag, text, tz, nowMs)
  const payload = (text: string) => checkJsonText(readPayload(text), 'payload', config.payloadBytes)
  const { handler, tz: timezone, cron, every, everyAfterEnd } = flags
  const misfire = misfireOf(flags)
  const given = {
    ...{ name, handler, cron, every, everyAfterEnd, timezone, ...onceOf(flags, moment) },
    payload: flags.payload === undefined ? undefined : payload(flags.payload),
    startAt: flags.startAt === undefined ? undefined : moment('--start-at', flags.startAt),
    endAt: flags.endAt === undefined ? undefined : moment('--end-at', flags.endAt),
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

type Moment = (flag: string, text: string) => Date

/** A time from now is a delay, which the database's clock measures. */
function onceOf(flags: JobFlags, moment: Moment): { at?: Date; delayMs?: number } {
  const whens = ['--cron', '--every', '--every-after-end', '--at', '--delay']
  const { cron, every, everyAfterEnd, at, delay } = flags
  const given = whens.filter((_, i) => [cron, every, everyAfterEnd, at, delay][i] !== undefined)
  if (given.length !== 1)
    throw new PunctualError(
      'invalid_option',
      `A job needs one of ${whens.join(', ')}; got ${given.length === 0 ? 'none' : given.join(' and ')}.`,
      { field: given[1] ?? '--cron' },
    )
  if (delay !== undefined) return { delayMs: parseDuration('--delay', delay) }
  if (at === undefined) return {}
  if (at.startsWith('+')) return { delayMs: parseDuration('--at', at.slice(1)) }
  return { at: moment('--at', at) }
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
  return text === undefined ? undefined : wholeNumber(flag, text)
}

function duration(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(flag, text)
}

/** Without what was not said: then the default holds. */
function defined<T extends object>(values: T): Partial<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Partial<T>
}
