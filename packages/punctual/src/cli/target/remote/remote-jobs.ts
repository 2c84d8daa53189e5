/** Jobs of a server, behind the interface of the library. */
import type { Client, Job as WireJob } from '@punctual/client'
import type { Job } from '@punctual/core/job'
import type { CalendarInput, FirePreview } from '@punctual/core/schedule'
import { type Target, targetOfNames } from '@punctual/core/target'
import { jobState } from '../../output/job-view.ts'
import type { OperatedJobs } from '../../runtime/operator.ts'
import { libraryNames, snake } from './library-names.ts'
import { nullWhenMissing } from './null-when-missing.ts'
import { jobToWire } from './submission-to-wire.ts'

function jobOf(wire: WireJob): Job {
  const { next_run_at, ...rest } = wire
  const target = targetOfNames(wire.target, snake)
  return { ...(libraryNames({ ...rest, next_at: next_run_at }) as Job), target: target as Target }
}

export function remoteJobs({ jobs, calendars }: Client): OperatedJobs {
  return {
    async get(nameOrId) {
      const job = await nullWhenMissing(jobs.get(nameOrId))
      return job && jobOf(job)
    },
    // The API has no such filters; it returns jobs by name, and they are filtered here.
    async list({ state, source, after, limit = 100 } = {}) {
      const found: Job[] = []
      for await (const wire of jobs.list({ limit: 1_000 })) {
        const job = jobOf(wire)
        if (after !== undefined && job.name <= after) continue
        if (source !== undefined && job.source !== source) continue
        if (state !== undefined && jobState(job) !== state) continue
        if (found.push(job) >= limit) break
      }
      return found
    },
    upsert: (job) => jobs.upsert(job.name, jobToWire(job)),
    async delete(nameOrId) {
      const gone = await nullWhenMissing(jobs.delete(nameOrId, { running: 'finish' }))
      return gone !== null
    },
    async pause(nameOrId, note) {
      return (await jobs.pause(nameOrId, { note })).change === 'updated'
    },
    async resume(nameOrId) {
      return (await jobs.resume(nameOrId)).change === 'updated'
    },
    async trigger(nameOrId, options = {}) {
      const { run_id: id } = await jobs.trigger(nameOrId, options)
      return { id }
    },
    async preview(nameOrId, { count, from, aroundChanges } = {}) {
      const options = { count, around_changes: aroundChanges }
      const since = from === undefined ? {} : { from: new Date(from).toISOString() }
      const slots = await jobs.preview(nameOrId, { ...options, ...since })
      return libraryNames(slots) as FirePreview[]
    },
    calendars: {
      async list() {
        const all = await calendars.list()
        return libraryNames(all) as { name: string; calendar: CalendarInput }[]
      },
    },
  }
}
