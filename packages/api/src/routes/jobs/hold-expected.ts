/**
 * `If-Match` and `If-None-Match` of a change of a job. Whoever expects something holds the job first, so that it is still
 * true when the change is committed.
 */
import { PunctualError } from '@punctual/core/errors'
import type { FastifyRequest } from 'fastify'
import type { Service, TenantService } from '../../ports/service.ts'
import { type Expected, expectedOf } from '../../wire/etag.ts'
import { noJob } from './find-job.ts'

interface Changing {
  readonly service: Service
  readonly tenant: TenantService
  readonly params: { readonly id: string }
  readonly request: FastifyRequest
}

/**
 * @param missing - What to say where the change is for one that there is, and there is none.
 * @throws `PunctualError` with `version_changed` when the job is not as expected.
 */
export async function holdExpected(changing: Changing, missing = noJob): Promise<Expected> {
  const { service, tenant, params, request } = changing
  const expected = expectedOf(request)
  const { there, absent } = expected
  if (there === undefined && !absent) return expected
  const job = await service.holdJob(params.id, tenant.tenantId)
  if (job && absent) throw isThere(params.id)
  if (there === undefined) return expected
  if (!job) throw missing(params.id)
  if (there !== 'any' && job.version !== there)
    throw refused(
      params.id,
      `It is version ${job.version} by now, not ${there}. Look at it again, and change that.`,
    )
  return expected
}

/** There is no job where one was expected. */
export function isGone(id: string): PunctualError {
  return refused(id, 'There is none, and If-Match expects one.')
}

/** There is a job where none was expected. */
export function isThere(id: string): PunctualError {
  return refused(id, 'There is one already, and If-None-Match expects none.')
}

function refused(id: string, why: string): PunctualError {
  return new PunctualError('version_changed', `The job ${JSON.stringify(id)}: ${why}`, { id })
}
