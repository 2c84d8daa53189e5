/** When a schedule fires, computed without a database: what `punctual next` prints. */
import type { Instant } from '@punctual/core/check'
import {
  type DayRule,
  type FirePreview,
  type FiresOptions,
  type FoldPolicy,
  nextFires as firesFrom,
  type GapPolicy,
  momentIn,
  type PreviewOptions as PreviewsFrom,
  previewFires as previewsFrom,
} from '@punctual/core/schedule'

/** Which fires are computed, and by which rules. */
export interface NextFiresOptions {
  /** A name of the IANA database. The prefix `CRON_TZ=` of the expression wins. @default 'UTC' */
  readonly tz?: string | undefined
  /** How many, up to 10,000. @default 5 */
  readonly count?: number | undefined
  /** Fires are strictly later. A text without an offset is local time in `tz`. @default now */
  readonly from?: Instant | undefined
  /** A fixed time that clocks go forward over. @default 'run-after' */
  readonly gap?: GapPolicy | undefined
  /** A fixed time that clocks go back over. @default 'first' */
  readonly overlap?: FoldPolicy | undefined
  /** How day of month and weekday combine when both are restricted. @default 'or' */
  readonly dayRule?: DayRule | undefined
  /** What `H` is spread by: the id of the job. Without it `H` is refused. */
  readonly seed?: string | undefined
  /** The first fire of a duration; others follow at whole periods after it. Cron needs none. @default `from` */
  readonly anchor?: Date | number | undefined
}

/** The same, and what else to show. */
export interface PreviewOptions extends NextFiresOptions {
  /** Also show the fires around the next two changes of the clocks. @default false */
  readonly aroundChanges?: boolean
}

/**
 * The next fires of a cron expression, a duration or a repeating interval, computed without a database; fewer than
 * `count` when it ends.
 * @throws `PunctualError` with `invalid_schedule`, `invalid_timezone` or `invalid_option`, and with `never_fires` when
 * none is left.
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

/** As `nextFires`, with the local time of each, and a note where a change of the clocks moves or repeats it. */
export function previewFires(
  expression: string | number,
  options: PreviewOptions = {},
): FirePreview[] {
  return previewsFrom(expression, withFrom(options) as PreviewsFrom)
}

/** What is no object, and what is no moment, is refused by the function itself. */
function withFrom(options: NextFiresOptions): unknown {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return options
  const { from = Date.now(), tz = 'UTC' } = options
  return { ...options, from: typeof from === 'string' ? (momentIn(from, tz) ?? from) : from }
}
