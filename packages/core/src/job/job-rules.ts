/**
 * The rules that jobs may share: when they fire and how their slots are decided, without what
 * differs from job to job (start, end, number of runs). Stored as canonical JSON, so that equal
 * rules are one row for any number of jobs, and a planner compiles each once.
 */

import type { DayRule } from '../schedule/cron/parse-cron.ts'
import type { FoldPolicy, GapPolicy } from '../schedule/zones/dst-policy.ts'

/** The overlap policies. The numbers are stored with the run. */
export const overlapPolicies = {
  allow: 0,
  skip: 1,
  'queue-one': 2,
  'queue-all': 3,
  'cancel-previous': 4,
  'terminate-previous': 5,
} as const

export const overlapNames = Object.keys(overlapPolicies) as readonly Overlap[]

/**
 * How to handle a run that would start while another run of its job is running.
 *
 * - `skip`: the new run is skipped.
 * - `allow`: both run.
 * - `queue-one`: the new run waits; if one is waiting already, it is skipped.
 * - `queue-all`: the new run waits behind those already waiting.
 * - `cancel-previous`: the new run waits, and the running one is asked to end.
 * - `terminate-previous`: the new run starts at once, and the running one ends as `cancelled`.
 */
export type Overlap = keyof typeof overlapPolicies

export const misfirePolicies = ['all', 'latest', 'none'] as const

/** How to handle slots missed during an outage. */
export interface MisfireRules {
  /**
   * `all`: each missed slot runs. `latest`: one run for all of them. `none`: no run. @default 'all'
   */
  readonly policy: 'all' | 'latest' | 'none'
  /** A slot is missed when it could not be planned within this time. @default 60000 */
  readonly graceMs: number
  /** With `all`: slots older than this become one run together. @default 3600000 */
  readonly maxAgeMs: number
  /**
   * With `all`: the maximum number of single runs; older slots become one run together.
   * @default 1000
   */
  readonly maxCount: number
  /**
   * The interval between the due times of two catch-up runs. The last of them is due within seven
   * days: when they are more, the oldest slots become one run together. @default 0
   */
  readonly dripMs: number
}

export const defaultMisfire: MisfireRules = Object.freeze({
  policy: 'all',
  graceMs: 60_000,
  maxAgeMs: 3_600_000,
  maxCount: 1_000,
  dripMs: 0,
})

/** The trigger of a job. `after-end`: a fixed time after the previous run ended. */
export type When =
  | { readonly kind: 'cron'; readonly expression: string }
  | { readonly kind: 'every'; readonly expression: string | number }
  | { readonly kind: 'after-end'; readonly expression: string | number }
  | { readonly kind: 'once' }

/** When a job fires and how its slots are decided, as stored: what is left out has its default. */
export interface JobRules {
  /** The schedule of the job. */
  readonly when: When
  /** A time zone name of the IANA database. */
  readonly timezone: string
  /** For fixed times that the clocks skip when they go forward. */
  readonly gap?: GapPolicy
  /** For fixed times that occur twice when the clocks go back. */
  readonly fold?: FoldPolicy
  /** How day of month and weekday combine. */
  readonly dayRule?: DayRule
  /** The maximum delay of its runs by jitter. */
  readonly jitterMs?: number
  /** Names of calendars of the job's tenant; every one must allow a slot. */
  readonly calendars?: readonly string[]
  /** How to handle slots missed during an outage. */
  readonly misfire?: Partial<MisfireRules>
  /** How to handle a run that would start while another one is running. */
  readonly overlap: Overlap
  /** The job is paused after this many consecutive dead runs. */
  readonly pauseAfterFailures?: number
}

/** Encodes equal rules as equal text: keys are sorted. */
export function encodeRules(rules: JobRules): string {
  return JSON.stringify(rules, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

export function decodeRules(text: string): JobRules {
  return JSON.parse(text) as JobRules
}

export function misfireOf(rules: JobRules): MisfireRules {
  return rules.misfire ? { ...defaultMisfire, ...rules.misfire } : defaultMisfire
}
