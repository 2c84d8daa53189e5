/**
 * `If-Match` and `If-None-Match` for changes of a job. A request with a condition locks the job
 * first, so that the condition still holds when the change is committed.
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
 * @param missing - The error when an existing job is expected and none exists.
 * @throws `PunctualError` with `version_changed` when the job does not match the condition.
 */
export async function holdExpected(changing: Changing, missing = noJob): Promise<Expected> {
  const { service, tenant, params, request } = changing
  const expected = expectedOf(request)
  const { present, absent } = expected
  if (present === undefined && !absent) return expected
  const job = await service.holdJob(params.id, tenant.tenantId)
  if (job && absent) throw alreadyExists(params.id)
  if (present === undefined) return expected
  if (!job) throw missing(params.id)
  if (present !== 'any' && job.version !== present)
    throw refused(
      params.id,
      `It now has version ${job.version}, not ${present}. Read it again and repeat the change.`,
    )
  return expected
}

/** `If-Match` was sent, and the job does not exist. */
export function doesNotExist(id: string): PunctualError {
  return refused(id, 'It does not exist, and If-Match expects it to.')
}

/** `If-None-Match` was sent, and the job exists. */
export function alreadyExists(id: string): PunctualError {
  return refused(id, 'It already exists, and If-None-Match expects it not to.')
}

function refused(id: string, why: string): PunctualError {
  return new PunctualError('version_changed', `The job ${JSON.stringify(id)}: ${why}`, { id })
}
