/** Finds the job of a request, or throws `job_not_found`. */
import { PunctualError } from '@punctual/core/errors'
import type { JobItem, TenantService } from '../../ports/service.ts'

export async function findJob(tenant: TenantService, nameOrId: string): Promise<JobItem> {
  const job = await tenant.jobs.inspect(nameOrId)
  if (job) return job
  throw noJob(nameOrId)
}

export function noJob(nameOrId: string): PunctualError {
  const message = `No job has the name or id ${JSON.stringify(nameOrId)}. GET /v1/jobs lists the jobs.`
  return new PunctualError('job_not_found', message, { id: nameOrId })
}
