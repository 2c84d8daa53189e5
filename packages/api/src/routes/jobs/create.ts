/** POST /jobs: creates a job, or refuses a name that is in use. */
import { PunctualError } from '@punctual/core/errors'
import type { JobItem } from '@punctual/core/job'
import { defineRoute } from '../../http/define-route.ts'
import type { Service, TenantService } from '../../ports/service.ts'
import { inWireNames } from '../../wire/in-wire-names.ts'
import { changeToWire, jobChange } from '../../wire/job-answer.ts'
import { jobOptionsOf, newJob } from '../../wire/job-input.ts'
import { findJob, ranOnce } from './find-job.ts'

export const createJob = defineRoute({
  method: 'POST',
  path: '/jobs',
  scope: 'operate',
  tag: 'Jobs',
  summary: 'Creates a job',
  description:
    'At most one of `schedule`, `every_after_end`, `run_at` and `delay` says when it runs; without any of them it runs now. Its handler need not exist on a worker yet. The name of a one-time job that has ended is free: the new job replaces it, and its runs are kept.',
  body: newJob,
  answer: jobChange,
  status: 201,
  writes: 'always',
  problems: ['job_exists', 'invalid_schedule', 'invalid_timezone', 'never_fires', 'quota_exceeded'],
  async handle({ service, tenant, body }) {
    const taken = await inWireNames([body], () => tenant.jobs.inspect(body.name))
    if (taken && !(await isFreed(taken, tenant, service))) throw nameTaken(body.name, taken.id)
    const { id, change } = await inWireNames([body], async () =>
      tenant.jobs.upsert(jobOptionsOf(body.name, body)),
    )
    // A concurrent request created it first: the transaction undoes the update.
    if (change !== 'created') throw nameTaken(body.name, id)
    return changeToWire(await findJob(tenant, id), 'created')
  },
})

/** Frees the name of a one-time job that has ended; its runs are kept. */
async function isFreed(job: JobItem, tenant: TenantService, service: Service): Promise<boolean> {
  if (!ranOnce(job)) return false
  // Another transaction may be rescheduling it.
  await service.holdJob(job.id, tenant.tenantId)
  const held = await tenant.jobs.inspect(job.id)
  if (held && !ranOnce(held)) return false
  if (held) await tenant.jobs.delete(held.id)
  return true
}

function nameTaken(name: string, id: string): PunctualError {
  return new PunctualError(
    'job_exists',
    `A job named ${JSON.stringify(name)} already exists. Choose another name, or update it with PUT /v1/jobs/${encodeURIComponent(name)}.`,
    { field: 'name', id },
  )
}
