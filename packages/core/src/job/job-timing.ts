/** The timing computation of a job. */
import type { TimingInput } from '../schedule/timing.ts'
import type { JobRules } from './job-rules.ts'

/** Returns the timing computation of the rules; null for a job that runs once. */
export function timingInput(
  rules: JobRules,
  job: { seed: string; anchorMs: number },
): TimingInput | null {
  if (rules.when.kind === 'once') return null
  const { gap, fold, dayRule, timezone } = rules
  return {
    expression: rules.when.expression,
    tz: timezone,
    gap,
    fold,
    dayRule,
    seed: job.seed,
    anchor: job.anchorMs,
  }
}
