/**
 * The pace of a bulk replay, and when it stops. Pure: the progress so far in, the next step out;
 * the caller performs the step and asks for the next one.
 *
 * A canary goes first: the rest waits until all of it has ended. After that, runs are released at a
 * steady pace, until too many of the ended ones have failed.
 */
import { refuseOption } from '../check/refuse-option.ts'

/** The pace of a bulk replay of dead letters, and when it stops. */
export interface ReplayPace {
  /** How many runs are released per second; Infinity for no limit. @default 50 */
  perSecond?: number
  /** The number of runs that go first; the others wait until these have ended. @default 0 */
  canary?: number
  /**
   * Stop when more than this fraction of the ended replays is dead or unknown, from 0 to 1.
   * @default never; with a canary, any failure in it stops the replay
   */
  stopAtFailureRate?: number
  /**
   * How many replays must have ended before the rate is judged. @default 10, or the canary if that
   * is less
   */
  minEnded?: number
}

export interface ReplayRules {
  readonly perSecond: number
  readonly canary: number
  readonly stopAtFailureRate: number | null
  readonly minEnded: number
}

/** The progress so far. */
export interface ReplayTally {
  readonly released: number
  readonly ended: number
  readonly failed: number
  /** Milliseconds since the last release; infinite before the first. */
  readonly sinceReleaseMs: number
}

export type ReplayStep =
  | { readonly kind: 'release'; readonly most: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'stop'; readonly failureRate: number }

const PER_SECOND_MAX = 10_000
const COUNT_MAX = 100_000
const RELEASES_A_SECOND = 4
const RELEASE_MAX = 500
const LOOK_MS = 250

function integerFrom(field: string, value: unknown, min: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= COUNT_MAX)
    return value
  return refuseOption(field, `an integer from ${min} to ${COUNT_MAX}`, value)
}

export function compileReplayPace(pace: ReplayPace): ReplayRules {
  const { perSecond = 50, canary = 0, stopAtFailureRate, minEnded = 10 } = pace
  const paced = perSecond >= 0.001 && perSecond <= PER_SECOND_MAX
  if (typeof perSecond !== 'number' || !(paced || perSecond === Number.POSITIVE_INFINITY))
    refuseOption('perSecond', `a number from 0.001 to ${PER_SECOND_MAX}, or Infinity`, perSecond)
  const rate = stopAtFailureRate ?? null
  if (rate !== null && !(typeof rate === 'number' && rate >= 0 && rate <= 1))
    refuseOption('stopAtFailureRate', 'a number from 0 to 1', rate)
  return {
    perSecond,
    canary: integerFrom('canary', canary, 0),
    stopAtFailureRate: rate,
    minEnded: integerFrom('minEnded', minEnded, 1),
  }
}

/** Whether the caller must count how the replays end. */
export function watchesEnds({ canary, stopAtFailureRate }: ReplayRules): boolean {
  return canary > 0 || stopAtFailureRate !== null
}

export function nextReplayStep(rules: ReplayRules, tally: ReplayTally): ReplayStep {
  const { released, ended, failed, sinceReleaseMs } = tally
  const { perSecond, canary } = rules
  const inCanary = canary > 0 && released <= canary
  if (passesBound(rules, tally, inCanary)) return { kind: 'stop', failureRate: failed / ended }
  if (inCanary && released === canary && ended < canary) return { kind: 'wait', ms: LOOK_MS }
  const batch = Math.min(RELEASE_MAX, Math.max(1, Math.floor(perSecond / RELEASES_A_SECOND)))
  const restMs = (batch * 1_000) / perSecond - sinceReleaseMs
  if (restMs > 0) return { kind: 'wait', ms: Math.min(restMs, 1_000) }
  return { kind: 'release', most: released < canary ? Math.min(batch, canary - released) : batch }
}

function passesBound(rules: ReplayRules, { ended, failed }: ReplayTally, inCanary: boolean) {
  const bound = rules.stopAtFailureRate ?? (inCanary ? 0 : 1)
  const enough = inCanary ? Math.min(rules.canary, rules.minEnded) : rules.minEnded
  return ended >= enough && failed / ended > bound
}
