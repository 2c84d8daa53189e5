/**
 * Computes the next fires of a schedule as users write it, for previews and tests: checks
 * everything, caches nothing.
 */

import { refuseOption } from '../check/refuse-option.ts'
import { PunctualError } from '../errors/errors.ts'
import { shown } from '../errors/failure.ts'
import { compileTiming, instantIn, nextSlot, type Timing, type TimingInput } from './timing.ts'

const FIRES_MAX = 10_000

/** The fires to compute, and the rules for them. */
export interface FiresOptions extends Omit<TimingInput, 'expression'> {
  /** Only fires strictly after this. A duration without an anchor counts from here. */
  readonly from: Date | number
  /** The number of fires, up to 10,000. @default 5 */
  readonly count?: number | undefined
}

const NAMES = ['tz', 'gap', 'fold', 'dayRule', 'seed', 'anchor', 'from', 'count']

/**
 * Returns fewer than `count` fires when the schedule ends. Throws `never_fires` when none is left.
 */
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

/** Returns fires in milliseconds, strictly after `fromMs`. */
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
