/** The next fires of a schedule as people write it, for previews and tests: everything is checked, no cache. */

import { refuseOption } from '../check/refuse-option.ts'
import { PunctualError } from '../errors/errors.ts'
import { shown } from '../errors/failure.ts'
import { compileTiming, instantIn, nextSlot, type Timing, type TimingInput } from './timing.ts'

const FIRES_MAX = 10_000

/** Which fires of a schedule are computed, and by which rules. */
export interface FiresOptions extends Omit<TimingInput, 'expression'> {
  /** Fires are strictly later. A duration without an anchor counts from here. */
  readonly from: Date | number
  /** How many, up to 10,000. @default 5 */
  readonly count?: number | undefined
}

const NAMES = ['tz', 'gap', 'fold', 'dayRule', 'seed', 'anchor', 'from', 'count']

/** Fewer than `count` when the schedule ends. Throws `never_fires` when none is left. */
export function nextFires(expression: string | number, options: FiresOptions): Date[] {
  const { timing, fromMs, count } = compileFires(expression, options)
  return firesOf(expression, timing, fromMs, count).map((ms) => new Date(ms))
}

export function compileFires(
  expression: string | number,
  options: FiresOptions,
  moreNames: readonly string[] = [],
): { timing: Timing; fromMs: number; count: number } {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    return refuseOption('options', 'an object', options)
  const names = [...NAMES, ...moreNames]
  for (const name of Object.keys(options))
    if (!names.includes(name)) refuseOption(name.slice(0, 80), `one of ${names.join(', ')}`, name)
  const { from, count = 5, ...rest } = options
  const fromMs = instantIn('from', from)
  if (!Number.isInteger(count) || count < 1 || count > FIRES_MAX)
    refuseOption('count', `an integer from 1 to ${FIRES_MAX}`, count)
  const anchor = rest.anchor ?? fromMs
  return { timing: compileTiming({ ...rest, anchor, expression }), fromMs, count }
}

/** Milliseconds, strictly later than `fromMs`. */
export function firesOf(
  expression: string | number,
  timing: Timing,
  fromMs: number,
  count: number,
): number[] {
  const fires: number[] = []
  for (let afterMs = fromMs; fires.length < count; ) {
    const nextMs = nextSlot(timing, afterMs)
    if (nextMs === null) break
    fires.push(nextMs)
    afterMs = nextMs
  }
  if (fires.length > 0) return fires
  throw new PunctualError(
    'never_fires',
    `${shown(expression)} has no fire after ${new Date(fromMs).toISOString()} and before the year 2200.`,
    { field: 'expression' },
  )
}
