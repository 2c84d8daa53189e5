/** Jobs in memory: declaring, steering and triggering them. */
import type { Random } from '@punctual/core/clock'
import type { CompiledJob, JobResult } from '@punctual/core/job'
import { RunIdSource } from '@punctual/core/run'
import { TimingCache } from '@punctual/core/schedule'
import { insertJob, triggerJob } from '../plan/plan.ts'
import { internLane } from '../submit/insert-runs.ts'
import type { MemoryStoreOptions } from '../tables/line.ts'
import { deleteJob, editJob, pauseJob, resumeJob } from './change-job.ts'
import type { Changing } from './held-job.ts'

export class MemoryJobs {
  readonly #options: MemoryStoreOptions
  readonly #ids: RunIdSource
  readonly #changing: Changing

  /** `nextId` returns the id for the run of a slot. */
  constructor(options: MemoryStoreOptions, random: Random, nextId?: Changing['nextId']) {
    this.#options = options
    this.#ids = new RunIdSource(random)
    this.#changing = {
      ...{ db: options.db, timings: new TimingCache() },
      nextId: nextId ?? ((timeMs) => this.#ids.next(timeMs)),
    }
  }

  /** Creates the job, or changes the existing job of this name. */
  async upsert(job: CompiledJob, id = this.#ids.next(this.#options.db.nowMs)): Promise<JobResult> {
    const { db, line, hints } = this.#options
    const { queue, handler, priority } = job.run
    const { name } = job
    const result = await line.call('upsert-job', (): JobResult => {
      const lane = internLane(db, { tenantId: 1, queue, handler, priority })
      const found = db.jobs.values().find((other) => other.name === name)
      if (found) {
        const changed = editJob(this.#changing, found.id, job, lane)
        return { id: found.id, name, change: changed ? 'updated' : 'unchanged' }
      }
      insertJob(db, { id, job, lane }, this.#changing.timings)
      return { id, name, change: 'created' }
    })
    hints.jobsChanged()
    return result
  }

  pause(id: string): Promise<boolean> {
    return this.#steer('pause-job', () => pauseJob(this.#changing, id))
  }

  resume(id: string): Promise<boolean> {
    return this.#steer('resume-job', () => resumeJob(this.#changing, id))
  }

  delete(id: string): Promise<boolean> {
    return this.#steer('delete-job', () => deleteJob(this.#changing, id))
  }

  async #steer(what: string, change: () => boolean): Promise<boolean> {
    const { line, hints } = this.#options
    const changed = await line.call(what, change)
    hints.queued([])
    hints.jobsChanged()
    return changed
  }

  async trigger(jobId: string, id?: string): Promise<string> {
    const { db, line, hints } = this.#options
    const runId = id ?? this.#ids.next(db.nowMs)
    await line.call('trigger', () => triggerJob(db, jobId, runId))
    hints.queued([])
    return runId
  }
}
