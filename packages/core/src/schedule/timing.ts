/**
 * Compiles when a job fires: options are checked and completed once, here, and the result computes
 * one thing: the next slot.
 */

import { oneOf, refuseOption } from '../check/refuse-option.ts'
import { PunctualError } from '../errors/errors.ts'
import type { CronPattern } from './cron/cron-pattern.ts'
import { nextAfter } from './cron/next-after.ts'
import { type DayRule, dayRules } from './cron/parse-cron.ts'
import { type Every, everyNextAfter } from './every.ts'
import { parseExpression } from './parse-expression.ts'
import { firstOf } from './parse-repeat.ts'
import { END_MS } from './zones/civil.ts'
import {
  type DstPolicy,
  defaultDstPolicy,
  type FoldPolicy,
  foldPolicies,
  type GapPolicy,
  gapPolicies,
} from './zones/dst-policy.ts'
import { type Zone, zoneOf } from './zones/zone.ts'

/** A schedule and the rules for reading it. */
export interface TimingInput {
  /**
   * A cron expression, `@every 5m`, a duration (`90s`, `PT1H`, `2d`, `P1M`, or milliseconds as a
   * number) or a repeating interval (`R5/2026-01-01T00:00:00Z/PT1H`).
   */
  readonly expression: string | number
  /**
   * A time zone name of the IANA database. The prefix `CRON_TZ=` of the expression wins.
   * @default 'UTC'
   */
  readonly tz?: string | undefined
  /** A fixed time that the clocks skip when they go forward. @default 'run-after' */
  readonly gap?: GapPolicy | undefined
  /** A fixed time that occurs twice when the clocks go back. @default 'first' */
  readonly fold?: FoldPolicy | undefined
  /** How day of month and weekday combine when both are restricted. @default 'or' */
  readonly dayRule?: DayRule | undefined
  /** The value from which `H` is derived: the id of the job. */
  readonly seed?: string | undefined
  /** The first fire of a duration; the others follow at full periods after it. Cron needs none. */
  readonly anchor?: Date | number | undefined
}

export interface CronTiming {
  readonly kind: 'cron'
  readonly pattern: CronPattern
  readonly zone: Zone
  readonly dst: DstPolicy
}

export interface EveryTiming {
  readonly kind: 'every'
  readonly every: Every
  readonly anchorMs: number
  readonly zone: Zone
  readonly dst: DstPolicy
}

export type Timing = CronTiming | EveryTiming

const SEED_LENGTH_MAX = 256

/** Throws `invalid_schedule`, `invalid_timezone`, `never_fires` and `invalid_option`. */
export function compileTiming(input: TimingInput): Timing {
  const { timing, anchored } = compileUnanchored(input)
  if (anchored) return anchorAt(timing, input.anchor)
  if (input.anchor !== undefined) instantIn('anchor', input.anchor)
  return timing
}

/**
 * Compiles everything except the anchor, which jobs with equal schedules do not share; `anchored`:
 * whether one is needed.
 */
export function compileUnanchored(input: TimingInput): { timing: Timing; anchored: boolean } {
  const { seed } = input
  if (seed !== undefined && (typeof seed !== 'string' || seed.length > SEED_LENGTH_MAX))
    refuseOption('seed', `a string of up to ${SEED_LENGTH_MAX} characters`, seed)
  const dayRule = oneOf('dayRule', dayRules, input.dayRule ?? 'or')
  const dst = dstOf(input)
  const expression = parseExpression(input.expression, { dayRule, seed })
  const zone = expression.zone ?? zoneOf(input.tz ?? 'UTC')
  switch (expression.kind) {
    case 'cron':
      return { timing: { kind: 'cron', pattern: expression.pattern, zone, dst }, anchored: false }
    case 'every': {
      const every = { period: expression.period, count: null }
      return { timing: { kind: 'every', every, anchorMs: 0, zone, dst }, anchored: true }
    }
    case 'repeat': {
      const { every } = expression.repeat
      const anchorMs = firstOf(expression.repeat, zone, dst)
      if (anchorMs < 0 || anchorMs >= END_MS) refuseStart()
      return { timing: { kind: 'every', every, anchorMs, zone, dst }, anchored: false }
    }
  }
}

export function anchorAt(timing: Timing, anchor: Date | number | undefined): Timing {
  const anchorMs = instantIn('anchor', anchor)
  return timing.kind === 'every' ? { ...timing, anchorMs } : timing
}

/** Returns the first slot strictly after `afterMs`; null when none is left. */
export function nextSlot(timing: Timing, afterMs: number): number | null {
  if (timing.kind === 'cron') return nextAfter(timing.pattern, timing.zone, timing.dst, afterMs)
  return everyNextAfter(timing.every, timing.anchorMs, timing.zone, timing.dst, afterMs)
}

function dstOf(input: TimingInput): DstPolicy {
  const gap = oneOf('gap', gapPolicies, input.gap ?? defaultDstPolicy.gap)
  const fold = oneOf('fold', foldPolicies, input.fold ?? defaultDstPolicy.fold)
  const isDefault = gap === defaultDstPolicy.gap && fold === defaultDstPolicy.fold
  return isDefault ? defaultDstPolicy : { gap, fold: fold }
}

/** Returns the milliseconds of an instant between 1970 and 2199. */
export function instantIn(field: string, value: unknown): number {
  const ms = value instanceof Date ? value.getTime() : value
  if (typeof ms === 'number' && Number.isInteger(ms) && ms >= 0 && ms < END_MS) return ms
  return refuseOption(field, 'a Date or integer milliseconds between 1970 and 2199', value)
}

function refuseStart(): never {
  const message = 'The first of the repeated intervals must start in 1970 or later.'
  throw new PunctualError('invalid_schedule', message, { field: 'expression' })
}
