/** Creates jobs under names that are free. */
import { type Actor, checkActor } from '@punctual/core/audit'
import { PunctualError } from '@punctual/core/errors'
import {
  type CompiledJob,
  type JobItem,
  type JobStatus,
  jobStatus,
  ranOnce,
} from '@punctual/core/job'
import type { StoredJob } from '@punctual/store'
import type { Recorded, WriteScope } from '../audit/control-writes.ts'
import { definitionOf } from './records.ts'

/** Options of `jobs.createMany`. */
export interface CreateOptions {
  /** Who creates each of the jobs, for the audit log. @default the actor of the call, for all */
  readonly actors?: readonly Actor[]
}

/** A new job has no runs. */
const STATUS = jobStatus('active', 'none') as JobStatus
/** How often the name of a job that is deleted meanwhile is tried again. */
const TRIES = 10

/** What creating a job needs of the other verbs. */
export interface JobVerbs {
  inspect(nameOrId: string): Promise<JobItem | null>
  delete(nameOrId: string): Promise<boolean>
}

/** Creates all of these jobs or none, each with an audit entry. */
export function createJobs(
  scope: WriteScope,
  jobs: readonly CompiledJob[],
  { actors = [] }: CreateOptions = {},
): Promise<readonly JobItem[]> {
  const { store, writes, tenantId } = scope
  const checked = actors.map(checkActor)
  return writes.record(tenantId, async () => {
    const created = await store.schedules.jobs.create(jobs, tenantId)
    return {
      result: created.map((job): JobItem => ({ ...job, status: STATUS, latestRun: null })),
      entries: created.map((job, i) => entryOf(job, checked[i])),
    }
  })
}

function entryOf(job: StoredJob, actor: Actor | undefined): Recorded {
  const target = { kind: 'job', id: job.id, name: job.name }
  return { action: 'job.create', target, after: definitionOf(job), ...(actor && { actor }) }
}

/** Creates one job; a one-time job that has ended loses its name to it. */
export function createJob(scope: WriteScope, job: CompiledJob, verbs: JobVerbs): Promise<JobItem> {
  const { store, tenantId } = scope
  return store.transaction(async () => {
    for (let left = TRIES; ; left--) {
      try {
        const [created] = await createJobs(scope, [job])
        return created as JobItem
      } catch (error) {
        if (!(error instanceof PunctualError && error.code === 'job_exists') || left === 0)
          throw error
        // Another transaction may be rescheduling it.
        const held = await store.schedules.steering.held(job.name, tenantId)
        if (!held) continue
        const taken = await verbs.inspect(held.id)
        if (!taken || !ranOnce(taken)) throw nameTaken(held)
        await verbs.delete(held.id)
      }
    }
  })
}

function nameTaken({ id, name }: StoredJob): PunctualError {
  return new PunctualError(
    'job_exists',
    `A job named ${JSON.stringify(name)} already exists. Choose another name, or update that job.`,
    { field: 'name', id },
  )
}
