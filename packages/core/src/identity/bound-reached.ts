/** The bounds on rows that a tenant makes and that all tenants pay for: limits.ts has their values. */
import { PunctualError } from '../errors/errors.ts'
import { limits } from '../errors/limits.ts'

/** How each is made smaller. */
const advice = {
  pausesPerTenant: 'Resume queues that need not be paused, or pause all queues at once.',
  limitsPerTenant: 'Remove limits of queues that are no longer used.',
  openGroupsPerTenant: 'Wait until groups are done, or put more runs into one group.',
} as const

/** Creates the error that refuses another row. */
export function boundReached(name: keyof typeof advice): PunctualError {
  const limit = limits[name]
  return new PunctualError(
    'quota_exceeded',
    `The limit ${name} is ${limit}, and the tenant has reached it. ${advice[name]}`,
    { quota: { name, limit, used: limit + 1 } },
  )
}
