/** Checks the arguments of `punctual.jobs`, before anything is read or changed. */
import { checkName, checkText, oneOf, refuseOption } from '@punctual/core/check'
import type { JobOptions } from '@punctual/core/job'
import type { JobFilter } from '@punctual/store'
import { checkedOptions } from '../tenants/checked-options.ts'
import type { SyncOptions } from './sync.ts'

const LIST_MAX = 1_000
const FILTERS = ['after', 'source', 'state', 'limit'] as const
const STATES = ['active', 'paused', 'finished', 'failing'] as const

/** The name or id of a job. PostgreSQL text cannot contain NUL, so no job has such a name. */
export function checkJob(nameOrId: unknown): string {
  if (typeof nameOrId !== 'string' || nameOrId.length === 0)
    refuseOption('job', 'a name or an id', nameOrId)
  return checkText('job', nameOrId, nameOrId.length)
}

/** A string that may be left out. */
export function checkOptional(field: string, value: unknown, maxLength: number): string | null {
  return value === undefined || value === null ? null : checkText(field, value, maxLength)
}

export function checkJobFilter(filter: JobFilter): JobFilter {
  const { after, source, state, limit = 100 } = checkedOptions(filter, FILTERS)
  if (!Number.isInteger(limit) || limit < 1 || limit > LIST_MAX)
    refuseOption('limit', `an integer from 1 to ${LIST_MAX}`, limit)
  // The first page may also be requested as the page after ''.
  if (after !== undefined && after !== '') checkName('after', after)
  if (source !== undefined) checkName('source', source)
  if (state !== undefined) oneOf('state', STATES, state)
  return filter
}

/**
 * Refuses a missing source, which would mean all of them, and an unknown option, whose default
 * would apply.
 */
export function checkSync(
  source: unknown,
  jobs: unknown,
  options: SyncOptions = {},
): { source: string; jobs: readonly JobOptions[]; options: Required<SyncOptions> } {
  const name = checkName('source', source)
  if (!Array.isArray(jobs)) refuseOption('jobs', 'a list of jobs', jobs)
  const { prune = false, dryRun = false } = checkedOptions(options, ['prune', 'dryRun'])
  for (const [field, value] of Object.entries({ prune, dryRun }))
    if (typeof value !== 'boolean') refuseOption(field, 'true or false', value)
  return { source: name, jobs: jobs as JobOptions[], options: { prune, dryRun } }
}
