/** Jobs in memory: declaring and triggering them. */
import type { Random } from '@punctual/core/clock'
import type { CompiledJob } from '@punctual/core/job'
import { RunIdSource } from '@punctual/core/run'
import { TimingCache } from '@punctual/core/schedule'
import { insertJob, triggerJob } from '../plan/plan.ts'
import { internLane } from '../submit/insert-runs.ts'
import type { MemoryStoreOptions } from '../tables/line.ts'

export class MemoryJobs {
  readonly #options: MemoryStoreOptions
  readonly #ids: RunIdSource
  readonly #timings = new TimingCache()

  constructor(options: MemoryStoreOptions, random: Random) {
    this.#options = options
    this.#ids = new RunIdSource(random)
  }

  async insert(job: CompiledJob): Promise<string> {
    const { db, line, hints } = this.#options
    const { queue, handler, priority } = job.run
    const jobId = this.#ids.next(db.nowMs)
    await line.call('insert-job', () => {
      const lane = internLane(db, { tenantId: 1, queue, handler, priority })
      if (!db.jobs.has(jobId)) insertJob(db, { id: jobId, job, lane }, this.#timings)
    })
    hints.jobsChanged()
    return jobId
  }

  async trigger(jobId: string, id?: string): Promise<string> {
    const { db, line, hints } = this.#options
    const runId = id ?? this.#ids.next(db.nowMs)
    await line.call('trigger', () => triggerJob(db, jobId, runId))
    hints.queued([])
    return runId
  }
}
