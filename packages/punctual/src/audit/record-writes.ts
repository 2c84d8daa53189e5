/** Which facades are recorded, and how: every change except submissions and the ends of runs. */
import type { PostgresStore } from '@punctual/store'
import type { DeadLetters } from '../dead-letters/dead-letters.ts'
import type { Groups } from '../groups/groups.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Limits } from '../queues/limits.ts'
import type { Queues } from '../queues/queues.ts'
import type { Workers } from '../queues/workers.ts'
import type { Runs } from '../runs/runs.ts'
import type { ApiKeys } from '../tenants/api-keys.ts'
import type { Tenants } from '../tenants/tenants.ts'
import type { ControlWrites } from './control-writes.ts'
import { apiKeyWrites, tenantWrites } from './identity-writes.ts'
import { calendarWrites, jobWrites } from './job-writes.ts'
import { deadLetterWrites, groupWrites } from './letter-writes.ts'
import { limitWrites, queueWrites, workerWrites } from './queue-writes.ts'
import { recordMethods } from './recorded-methods.ts'
import { runWrites } from './run-writes.ts'

interface OfTenant {
  readonly tenantId: number
  readonly jobs: Jobs
  readonly runs: Runs
  readonly queues: Queues
  readonly limits: Limits
  readonly deadLetters: DeadLetters
  readonly groups: Groups
  readonly workers: Workers
}

export function recordTenant(
  { jobs, runs, queues, limits, deadLetters, groups, workers, tenantId }: OfTenant,
  writes: ControlWrites,
  store: PostgresStore,
): void {
  const scope = { store, tenantId }
  recordMethods(jobs, jobWrites, writes, scope)
  recordMethods(jobs.calendars, calendarWrites, writes, scope)
  recordMethods(runs, runWrites, writes, scope)
  recordMethods(queues, queueWrites, writes, scope)
  recordMethods(limits, limitWrites, writes, scope)
  recordMethods(deadLetters, deadLetterWrites, writes, scope)
  recordMethods(groups, groupWrites, writes, scope)
  recordMethods(workers, workerWrites, writes, scope)
}

/**
 * Most workers serve all tenants, so changes of workers and tenants go to the installation's chain.
 */
export function recordInstallation(
  { workers, tenants, apiKeys }: { workers: Workers; tenants: Tenants; apiKeys: ApiKeys },
  writes: ControlWrites,
  store: PostgresStore,
): void {
  const scope = { store, tenantId: null }
  recordMethods(workers, workerWrites, writes, scope)
  recordMethods(tenants, tenantWrites, writes, scope)
  recordMethods(apiKeys, apiKeyWrites, writes, scope)
}
