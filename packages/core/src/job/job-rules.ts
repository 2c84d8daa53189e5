/**
 * What jobs may share of when they fire and what becomes of their slots: all but what differs from job to
 * job (start, end, number of runs). Stored as canonical JSON, so that equal rules are one row however many
 * jobs have them, and a planner compiles each once.
 */

import type { DayRule } from '../schedule/cron/parse-cron.ts'
import type { FoldPolicy, GapPolicy } from '../schedule/zones/dst-policy.ts'

/** What to do when a run would start while another run of its job goes on. Numbers travel with the run. */
export const overlapPolicies = {
  allow: 0,
  skip: 1,
  'queue-one': 2,
  'queue-all': 3,
  'cancel-previous': 4,
  'terminate-previous': 5,
} as const

/**
 * What to do when a run would start while another run of its job goes on.
 *
 * - `skip`: it does not run.
 * - `allow`: both go on.
 * - `queue-one`: it waits, unless one waits already; then it does not run.
 * - `queue-all`: it waits behind those that wait already.
 * - `cancel-previous`: it waits, and the other is asked to end.
 * - `terminate-previous`: it starts at once, and the other ends as `cancelled`.
 */
export type Overlap = keyof typeof overlapPolicies

/** What becomes of slots that passed while nothing was running. */
export interface MisfireRules {
  /** `all`: each missed slot runs. `latest`: one run for all of them. `none`: no run. @default 'all' */
  readonly policy: 'all' | 'latest' | 'none'
  /** A slot is missed when it could not be planned within this time. @default 60000 */
  readonly graceMs: number
  /** With `all`: slots older than this become one run together. @default 3600000 */
  readonly maxAgeMs: number
  /** With `all`: so many single runs at most; older slots become one run together. @default 1000 */
  readonly maxCount: number
  /** The pause between two runs that make up for missed slots. @default 0 */
  readonly dripMs: number
}

export const defaultMisfire: MisfireRules = Object.freeze({
  policy: 'all',
  graceMs: 60_000,
  maxAgeMs: 3_600_000,
  maxCount: 1_000,
  dripMs: 0,
})

/** What makes a job fire. `after-end`: so long after the run before has ended. */
export type When =
  | { readonly kind: 'cron'; readonly expression: string }
  | { readonly kind: 'every'; readonly expression: string | number }
  | { readonly kind: 'after-end'; readonly expression: string | number }
  | { readonly kind: 'once' }

/** When a job fires and what becomes of its slots, as it is stored: what is left out has its default. */
export interface JobRules {
  /** What makes it fire. */
  readonly when: When
  /** A name of the IANA database. */
  readonly timezone: string
  /** For fixed times that clocks go forward over. */
  readonly gap?: GapPolicy
  /** For fixed times that clocks go back over. */
  readonly fold?: FoldPolicy
  /** How day of month and weekday combine. */
  readonly dayRule?: DayRule
  /** How far its runs are moved at most. */
  readonly jitterMs?: number
  /** Names of calendars of the job's tenant; a slot must be allowed by each. */
  readonly calendars?: readonly string[]
  /** What becomes of slots that passed while nothing was running. */
  readonly misfire?: Partial<MisfireRules>
  /** When a run would start while another one goes on. */
  readonly overlap: Overlap
  /** It is paused after so many dead runs in a row. */
  readonly pauseAfterFailures?: number
}

/** One text for equal rules. */
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
