/** A job that a route is about, or the problem that there is none. */
import { PunctualError } from '@punctual/core'
import type { JobItem, TenantService } from '../../service.ts'

export async function findJob(tenant: TenantService, nameOrId: string): Promise<JobItem> {
  const job = await tenant.jobs.latestRun(nameOrId)
  if (job) return job
  throw noJob(nameOrId)
}

export function noJob(nameOrId: string): PunctualError {
  const message = `There is no job ${JSON.stringify(nameOrId)}. GET /v1/jobs lists those there are.`
  return new PunctualError('job_not_found', message, { id: nameOrId })
}
