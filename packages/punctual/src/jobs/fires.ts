/** When a schedule fires, computed without a database: what `punctual next` prints. */
import type { Instant } from '@punctual/core/check'
import {
  type DayRule,
  type FirePreview,
  type FiresOptions,
  type FoldPolicy,
  nextFires as firesFrom,
  type GapPolicy,
  localInstant,
  type PreviewOptions as PreviewsFrom,
  previewFires as previewsFrom,
} from '@punctual/core/schedule'

/** Options of `nextFires`. */
export interface NextFiresOptions {
  /** An IANA time zone name. A `CRON_TZ=` prefix in the expression overrides it. @default 'UTC' */
  readonly tz?: string | undefined
  /** How many fires, up to 10,000. @default 5 */
  readonly count?: number | undefined
  /**
   * Returns only fires strictly later than this. A string without an offset is local time in `tz`.
   * @default now
   */
  readonly from?: Instant | undefined
  /** How to treat a local time that is skipped when clocks go forward. @default 'run-after' */
  readonly gap?: GapPolicy | undefined
  /** How to treat a local time that occurs twice when clocks go back. @default 'first' */
  readonly fold?: FoldPolicy | undefined
  /** How day of month and weekday combine when both are restricted. @default 'or' */
  readonly dayRule?: DayRule | undefined
  /** Seed that places `H`: the id of the job. Without it `H` is refused. */
  readonly seed?: string | undefined
  /**
   * The first fire of a duration; the others follow at multiples of the period. Ignored for cron.
   * @default `from`
   */
  readonly anchor?: Date | number | undefined
}

/** Options of `previewFires`. */
export interface PreviewOptions extends NextFiresOptions {
  /** Also returns the fires around the next two clock changes. @default false */
  readonly aroundChanges?: boolean
}

/**
 * The next fires of a cron expression, a duration or a repeating interval, computed without a
 * database. Returns fewer than `count` when the schedule ends.
 * @throws `PunctualError` with `invalid_schedule`, `invalid_timezone` or `invalid_option`, and with
 * `never_fires` when the schedule has no fire after `from`.
 * @example
 * ```ts
 * import { nextFires } from 'punctual'
 *
 * const [first] = nextFires('0 9 * * MON-FRI', { tz: 'Europe/Berlin', count: 1 })
 * console.log(first)
 * ```
 */
export function nextFires(expression: string | number, options: NextFiresOptions = {}): Date[] {
  return firesFrom(expression, withFrom(options) as FiresOptions)
}

/**
 * Like `nextFires`, with the local time of each fire and a note where a clock change moves or
 * repeats it.
 */
export function previewFires(
  expression: string | number,
  options: PreviewOptions = {},
): FirePreview[] {
  return previewsFrom(expression, withFrom(options) as PreviewsFrom)
}

/** The core function itself refuses a value that is not an object or not an instant. */
function withFrom(options: NextFiresOptions): unknown {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return options
  const { from = Date.now(), tz = 'UTC' } = options
  return { ...options, from: typeof from === 'string' ? (localInstant(from, tz) ?? from) : from }
}
