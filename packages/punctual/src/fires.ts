/** When a schedule fires, computed without a database: what `punctual next` prints. */
import {
  type FirePreview,
  type FiresOptions,
  nextFires as firesFrom,
  momentIn,
  type PreviewOptions as PreviewsFrom,
  previewFires as previewsFrom,
} from '@punctual/core'

export interface NextFiresOptions extends Omit<FiresOptions, 'from'> {
  /** Fires are strictly later. A text without an offset is local time in `tz`. @default now */
  readonly from?: Date | number | string | undefined
}

export interface PreviewOptions extends NextFiresOptions {
  /** Also show the fires around the next two changes of the clocks. @default false */
  readonly aroundChanges?: boolean
}

/**
 * The next fires of a cron expression, a duration or a repeating interval; fewer than `count` when it ends.
 * Throws `invalid_schedule`, `invalid_timezone`, `invalid_option`, and `never_fires` when none is left.
 */
export function nextFires(expression: string | number, options: NextFiresOptions = {}): Date[] {
  return firesFrom(expression, withFrom(options) as FiresOptions)
}

/** The same with the local time of each, and a note where a change of the clocks moves or repeats it. */
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
