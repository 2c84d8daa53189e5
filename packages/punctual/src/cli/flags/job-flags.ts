/** The flags of `punctual jobs create`, as options of the library. */
import { PunctualError } from '@punctual/core/errors'
import { type JobOptions, jobOptions } from '@punctual/core/job'
import { zoneOf } from '@punctual/core/schedule'
import { targetKindNames } from '@punctual/core/target'
import type { Config } from '../../config/settings.ts'
import { createdBy } from './created-by.ts'
import { parseDuration } from './durations.ts'
import { parseInstantIn } from './instants.ts'
import { type FlagValues, optionsFrom } from './option-flags.ts'

export interface JobFlags extends FlagValues {
  readonly handler?: string
  readonly tz?: string
  readonly at?: string
}

export function jobFromFlags(
  name: string,
  flags: JobFlags,
  config: Config,
  nowMs: number,
): JobOptions {
  refuseSeveral(flags)
  refuseWithoutTarget(flags)
  const tz = zoneOf(flags.tz ?? config.timezone).name
  const instant = (flag: string, text: string) => parseInstantIn(flag, text, tz, nowMs)
  const reading = { instant, payloadBytes: config.payloadBytes }
  const { at, ...others } = flags
  const given = { name, createdBy: createdBy() }
  // A time from now is sent as a delay, because the database's clock measures it.
  if (!at?.startsWith('+')) return { ...optionsFrom(jobOptions, flags, reading), ...given }
  const delayMs = parseDuration('--at', at.slice(1))
  return { ...optionsFrom(jobOptions, others, reading), ...given, delayMs }
}

/** Flags that say what performs the runs of a job. */
const PERFORMERS = ['--handler', ...targetKindNames.slice(1).map((kind) => `--${kind}`)]
/** Also `httpMethod`, which is refused for a better reason when `--http` is missing. */
const PERFORMING = new RegExp(`^(?:${['handler', ...targetKindNames].join('|')})(?![a-z])`)

function refuseWithoutTarget(flags: JobFlags): void {
  const named = Object.keys(flags).some((name) => PERFORMING.test(name))
  if (named) return
  throw new PunctualError(
    'invalid_option',
    `A job needs one of ${PERFORMERS.join(', ')}; got none.`,
    { field: '--handler' },
  )
}

/** The flags of which a job has exactly one. */
const WHENS = {
  cron: '--cron',
  every: '--every',
  everyAfterEnd: '--every-after-end',
  at: '--at',
  delay: '--delay',
}

function refuseSeveral(flags: JobFlags): void {
  const names = Object.values(WHENS)
  const given = Object.entries(WHENS).flatMap(([name, flag]) => (name in flags ? [flag] : []))
  if (given.length !== 1)
    throw new PunctualError(
      'invalid_option',
      `A job needs exactly one of ${names.join(', ')}; got ${given.length === 0 ? 'none' : given.join(' and ')}.`,
      { field: given[1] ?? '--cron' },
    )
}
