/** POST /jobs: makes a job, or refuses a name that is taken. */
import { PunctualError } from '@punctual/core/errors'
import { defineRoute } from '../../http/define-route.ts'
import type { JobItem, Service, TenantService } from '../../ports/service.ts'
import { inWireNames } from '../../wire/in-wire-names.ts'
import { changeToWire, jobChange } from '../../wire/job-answer.ts'
import { jobOptionsOf, newJob } from '../../wire/job-input.ts'
import { findJob, ranOnce } from './find-job.ts'

export const createJob = defineRoute({
  method: 'POST',
  path: '/jobs',
  scope: 'operate',
  tag: 'Jobs',
  summary: 'Make a job',
  description:
    'Of `schedule`, `every_after_end`, `run_at` and `delay` one says when; with none of them it runs now. No worker need know its handler yet. The name of a job that ran once, and has ended, is free: the new one takes its place, and its runs stay.',
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
    // Somebody was quicker: what was changed is undone with the transaction.
    if (change !== 'created') throw nameTaken(body.name, id)
    return changeToWire(await findJob(tenant, id), 'created')
  },
})

/** A job that ran once makes room for the next of its name; its runs stay. */
async function isFreed(job: JobItem, tenant: TenantService, service: Service): Promise<boolean> {
  if (!ranOnce(job)) return false
  // Somebody may be giving it another time.
  await service.holdJob(job.id, tenant.tenantId)
  const held = await tenant.jobs.inspect(job.id)
  if (held && !ranOnce(held)) return false
  if (held) await tenant.jobs.delete(held.id)
  return true
}

function nameTaken(name: string, id: string): PunctualError {
  return new PunctualError(
    'job_exists',
    `There is a job ${JSON.stringify(name)} already. Choose another name, or change it with PUT /v1/jobs/${encodeURIComponent(name)}.`,
    { field: 'name', id },
  )
}
