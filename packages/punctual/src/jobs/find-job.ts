/** Finds the job that a call names, or refuses the call. */
import { PunctualError } from '@punctual/core/errors'
import type { PostgresStore, StoredJob } from '@punctual/store'
import { checkJob } from './arguments.ts'

export async function needJob(
  store: PostgresStore,
  nameOrId: string,
  tenantId: number,
): Promise<StoredJob> {
  const job = await store.schedules.jobs.find(checkJob(nameOrId), tenantId)
  return job ?? jobNotFound(nameOrId)
}

export function jobNotFound(nameOrId: string): never {
  const message = `No job has the name or id ${JSON.stringify(nameOrId)}. \`punctual jobs list\` lists the jobs.`
  throw new PunctualError('job_not_found', message, { id: nameOrId })
}
