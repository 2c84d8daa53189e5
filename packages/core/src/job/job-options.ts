/**
 * Every option of a job, as callers write it and as data, like those of a run
 * (submit/run-options.ts): what accepts, shows or documents options is derived from the rows. An
 * option is added here; a type test holds the interface equal to the table.
 */
import type { Instant } from '../check/instant.ts'
import { defaults, limits } from '../errors/limits.ts'
import { choice, duration, integer, name, onOrOff, text, unchecked } from '../option/kinds.ts'
import type { OptionTable } from '../option/option.ts'
import { type DayRule, dayRules } from '../schedule/cron/parse-cron.ts'
import { type RunOptions, sharedRunOptions } from '../submit/run-options.ts'
import {
  calendars,
  cron,
  type DstOptions,
  dst,
  every,
  jobName,
  localTime,
  misfire,
  period,
  zone,
} from './job-kinds.ts'
import { type MisfireRules, type Overlap, overlapNames } from './job-rules.ts'

/** A job as declared. Exactly one of `cron`, `every`, `everyAfterEnd`, `at`, `delayMs` is set. */
export interface JobOptions extends RunOptions {
  /** Unique within the tenant; up to 128 characters. */
  name: string
  /**
   * The name of the handler of its runs, which may be registered in another process. Left out when
   * `target` is given.
   */
  handler?: string
  /** The payload of its runs: any value that JSON can represent. @default null */
  payload?: unknown

  /** Cron: 5 fields, 6 with seconds first, 7 with the year last; `@daily`, `H`, `L`, `W`, `#` … */
  cron?: string
  /**
   * A fixed rate: `5s`, `1h30m`, `P1M`, milliseconds, or a repeating interval
   * `R5/2026-01-01T00:00:00Z/PT1H`.
   */
  every?: string | number
  /** Wait this long after the previous run ends, however it ends. */
  everyAfterEnd?: string | number
  /** Run once, at this time; a time in the past means now. */
  at?: Instant
  /** Run once, this many milliseconds from now. */
  delayMs?: number

  /** A time zone name of the IANA database. @default the installation's, which is UTC unless set */
  timezone?: string
  /** The earliest slot. A start in the past creates no missed slots. @default now */
  startAt?: Instant
  /** The end: no slot is at or after this instant. */
  endAt?: Instant
  /** The maximum number of runs. @default no limit */
  maxRuns?: number
  /**
   * Delays every run of the job by the same fraction of this, so that jobs with the same slots
   * spread out. @default 0
   */
  jitterMs?: number
  /** Exempts the job from jitter, including the installation's. @default false */
  exact?: boolean
  /** Names of calendars, up to 10; every one must allow a slot. @default none */
  calendars?: readonly string[]
  /** How clock changes affect fixed times of day. */
  dst?: DstOptions
  /** How day of month and weekday combine when both are restricted. @default 'or' */
  dayRule?: DayRule
  /** Slots missed in an outage. @default all of the last hour run, older ones as one run */
  misfire?: MisfireRules['policy'] | Partial<MisfireRules>
  /** The handling of a run that would start while another one is running. @default 'skip' */
  overlap?: Overlap
  /** Pauses the job after this many consecutive dead runs. @default never */
  pauseAfterFailures?: number

  /** A description for readers, up to 1,024 characters. */
  description?: string
  /** The person or team responsible for the job, up to 128 characters. */
  owner?: string
  /** Who declares this job; `sync` removes only jobs of the same source. */
  source?: string
}

export const jobOptions = {
  name: {
    kind: jobName,
    required: true,
    help: 'name of the job',
    guide: 'unique; up to 128 characters, not only blanks, and not in the form of a UUID',
    flag: null,
  },
  handler: {
    kind: name,
    defaultShown: 'none: `target`',
    help: 'the handler that runs',
    guide: "the handler's name; it may be in another process, or not exist yet",
    flag: '--handler <name>',
  },
  payload: {
    kind: unchecked<unknown>({ type: 'json' }),
    defaultShown: '`null`',
    help: 'the payload of its runs',
    guide: 'what the handler receives; JSON up to 1 MiB',
    flag: '--payload <json>',
    flagHelp: 'JSON; @file reads a file, - reads standard input',
  },
  cron: {
    kind: cron,
    help: 'a cron expression',
    guide:
      "a clock pattern, such as `'0 9 * * MON-FRI'`, `'*/10 * * * * *'` or `'@daily'`: five fields, six with seconds first, seven with the year last. [The dialect](concepts/time-zones-and-dst.md#cron-expressions)",
    flag: '--cron <expression>',
    flagHelp: "a cron expression: '0 2 * * *', '@daily'",
    wire: ['schedule'],
  },
  every: {
    kind: every,
    help: 'a fixed rate: 5s, 1h30m, P1M, R5/2026-01-01T00:00:00Z/PT1H',
    guide:
      "a fixed rate, such as `'15m'`, `'1d'`, `'P1M'`, `90_000` or `'R5/2027-01-01T00:00:00Z/PT1H'`: first at `startAt` (or now), then after each whole period. At least one second. An edit that leaves the rules unchanged keeps the phase",
    flag: '--every <time>',
    wire: ['schedule'],
  },
  everyAfterEnd: {
    kind: period,
    help: 'wait this long after the previous run ends',
    guide:
      "a pause, such as `'10m'`: first now (or at `startAt`), then this long after the previous run ends, however it ended",
    flag: '--every-after-end <time>',
  },
  at: {
    kind: localTime,
    help: 'run once at this time',
    guide:
      "once: `'2027-01-31T12:00:00Z'`, `'2027-01-31T12:00'` (local time of the job), a `Date`, or milliseconds; a time in the past means now",
    flag: '--at <time>',
    flagHelp: 'run once at this time: 2030-01-31T12:00:00Z, or +5m from now',
    wire: ['run_at'],
  },
  delayMs: {
    kind: duration(0, limits.delayMsMax),
    help: 'run once after this long',
    guide: 'once, this many milliseconds from now. Counted anew by every `upsert`',
    flag: '--delay <time>',
    wire: ['delay'],
    notInFile: 'A delay would start anew each time the file is applied. Use `at`.',
  },
  timezone: {
    kind: zone,
    defaultShown: 'the setting `timezone`',
    help: 'time zone, such as Europe/Berlin',
    example: 'Europe/Berlin',
    guide: 'an IANA name: the clock that patterns and days follow',
    flag: '--tz <zone>',
  },
  startAt: {
    kind: localTime,
    defaultShown: 'now',
    help: 'no slots before this time',
    guide:
      'no slot before this. A start in the past creates no missed slots; for `every` it is the origin of the rate',
    flag: '--start-at <time>',
  },
  endAt: {
    kind: localTime,
    help: 'no slots at or after this time',
    guide: 'no slot at or after this instant',
    flag: '--end-at <time>',
  },
  maxRuns: {
    kind: integer(1, 2_147_483_647),
    defaultShown: 'no limit',
    help: 'stop after this many runs',
    guide:
      'the most runs that are created for slots; skipped slots, triggers and backfills do not count',
    flag: '--max-runs <n>',
  },
  jitterMs: {
    kind: duration(0, 86_400_000),
    defaultShown: 'the setting `jitterMs`',
    help: 'delay runs by a fixed part of this',
    guide:
      'delays every run of the job by the same fraction of this, different from job to job; up to a day',
    flag: '--jitter <time>',
  },
  exact: {
    kind: onOrOff,
    default: false,
    help: 'no jitter, regardless of the setting jitterMs',
    guide: "no jitter, whatever the installation's default is",
    flag: '--exact',
  },
  calendars: {
    kind: calendars,
    help: 'run only when this calendar allows it',
    guide: 'up to 10 names; a slot runs only if each of them allows it',
    flag: '--calendar <name...>',
  },
  dst: {
    kind: dst,
    help: 'how clock changes affect fixed times of day',
    flag: null,
  },
  dayRule: {
    kind: choice(dayRules),
    default: 'or',
    help: 'how day of month and weekday combine',
    guide:
      "when day of month and weekday are both restricted: one has to match, or with `'and'` both",
    flag: '--day-rule <rule>',
    stored: 'rules',
  },
  misfire: {
    kind: misfire,
    defaultShown: '`all`, of the last hour',
    help: 'what happens to slots missed in an outage',
    guide: '[how missed slots are caught up](guides/schedules.md#missed-slots-misfire)',
    flag: null,
  },
  overlap: {
    kind: choice(overlapNames),
    default: defaults.overlap,
    help: 'when the previous run is still running',
    guide: '[what happens while another run of the job is running](guides/schedules.md#overlap)',
    flag: '--overlap <policy>',
  },
  pauseAfterFailures: {
    kind: integer(1, 1_000),
    defaultShown: 'never',
    help: 'pause the job after this many dead runs in a row',
    guide:
      'pause the job after this many dead runs in a row, up to 1,000. A success and `resume` reset the count',
    flag: '--pause-after-failures <n>',
    stored: 'rules',
  },
  description: {
    kind: text(limits.descriptionLength),
    help: 'what the job is for',
    guide: 'what the job is for; up to 1,024 characters',
    flag: '--description <text>',
  },
  owner: {
    kind: text(limits.nameLength),
    help: 'who is responsible for it',
    guide: 'the person or team that is responsible for it; up to 128 characters',
    flag: '--owner <text>',
  },
  source: {
    kind: text(limits.nameLength),
    help: 'the source that declares it; see `jobs apply`',
    guide: 'who declares it; set by [`sync`](guides/schedules.md#many-jobs-from-git)',
    flag: '--source <name>',
    wire: [],
    notInFile: 'The source belongs at the top of the file and applies to all of its jobs.',
  },
  ...sharedRunOptions,
  queue: { ...sharedRunOptions.queue, help: 'queue of its runs' },
  maxAttempts: {
    ...sharedRunOptions.maxAttempts,
    help: 'attempts for each run, including the first',
  },
  labels: {
    ...sharedRunOptions.labels,
    help: 'label of the job and of its runs',
    guide: 'up to 16 names and values, stored with the job and with each of its runs',
  },
  createdBy: {
    ...sharedRunOptions.createdBy,
    guide: 'who or what creates it; stored with the job and with each of its runs',
  },
} as const satisfies OptionTable
