/** A job as the command line shows it: its state, its schedule as text, and its JSON. */
import type { Job, JobRules } from '@punctual/core/job'
import type { StoredJob } from '@punctual/store'
import { zoneIn } from '../flags/instants.ts'
import type { Colors } from '../runtime/colours.ts'

export const jobStates = ['active', 'paused', 'finished', 'failing'] as const
export type JobState = (typeof jobStates)[number]

export function jobState(job: Job): JobState {
  if (job.planningError !== null) return 'failing'
  if (job.pausedAt !== null) return 'paused'
  if (job.nextAt !== null) return 'active'
  // The next slot of an after-end job is known only when its run has ended.
  const waits = job.rules.when.kind === 'after-end' && job.runsLeft !== 0
  return waits ? 'active' : 'finished'
}

export function jobStateColour(colors: Colors, state: JobState): string {
  const colour = { active: colors.green, paused: colors.yellow, finished: colors.dim }
  return state === 'failing' ? colors.red(state) : colour[state](state)
}

/** The time zone in which a job fires; its expression may name one itself. */
export function jobZone({ when, timezone }: JobRules): string {
  return (when.kind === 'once' ? null : zoneIn(when.expression)) ?? timezone
}

/** `0 2 * * *`, `every 5m`, `5m after each end`, `once`. */
export function scheduleText({ when }: JobRules): string {
  switch (when.kind) {
    case 'cron':
      return when.expression
    case 'every':
      return `every ${periodText(when.expression)}`
    case 'after-end':
      return `${periodText(when.expression)} after each end`
    case 'once':
      return 'once'
  }
}

function periodText(expression: string | number): string {
  return typeof expression === 'number' ? `${expression} ms` : expression
}

/** Drops fields that only the store needs. */
export function jobJson(job: Job): Job & { state: JobState } {
  const { timing, lane, traits, policy, payloadText, rulesText, anchorMs, ...rest } =
    job as StoredJob
  return { ...rest, state: jobState(job) }
}

export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map((pair) => pair.join('='))
    .join(' ')
}
