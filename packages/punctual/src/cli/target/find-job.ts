/** Finds the job of a command, by name or id. */
import { PunctualError } from '@punctual/core/errors'
import type { Job } from '@punctual/core/job'
import type { Operator } from '../runtime/operator.ts'

export async function findJob({ jobs }: Pick<Operator, 'jobs'>, nameOrId: string): Promise<Job> {
  const job = await jobs.get(nameOrId)
  if (job) return job
  throw new PunctualError(
    'job_not_found',
    `The job ${JSON.stringify(nameOrId)} does not exist. \`punctual jobs list\` lists jobs.`,
    { id: nameOrId },
  )
}
