/**
 * Executes planned runs in virtual time: every due run starts at once and takes as long as its job
 * says. Overlap is decided when a run would start, and the end of a run affects its job, both as in
 * the store.
 */
import { TimeQueue } from '@punctual/engine'
import type { StoredLabJob } from './lab-job.ts'
import type { LabEntry, LabOutcome, LabRun } from './lab-ledger.ts'

export interface LabWorkerOptions {
  /**
   * The first instant from `atMs` on at which workers are available: later than `atMs` during an
   * outage.
   */
  readonly availableMs: (atMs: number) => number
  /**
   * Called when a run has ended: the job may fire after it, or may pause after too many dead runs.
   */
  readonly onEnded: (job: StoredLabJob, nowMs: number) => void
}

interface Step {
  readonly job: StoredLabJob
  readonly entry: LabEntry
  readonly kind: 'start' | 'end'
}

export class LabWorker {
  readonly #options: LabWorkerOptions
  readonly #steps = new TimeQueue<Step>()

  constructor(options: LabWorkerOptions) {
    this.#options = options
  }

  get nextMs(): number | null {
    return this.#steps.nextMs
  }

  take(job: StoredLabJob, entry: LabEntry): void {
    const run = entry.run as LabRun
    this.#steps.add(run.dueMs, { job, entry, kind: 'start' })
  }

  /** Performs all steps that are due at this instant. */
  work(nowMs: number): void {
    for (let step = this.#steps.take(nowMs); step !== null; step = this.#steps.take(nowMs)) {
      const { job, entry, kind } = step
      const run = entry.run as LabRun
      if (run.outcome !== null) continue
      const startMs = this.#options.availableMs(nowMs)
      if (kind === 'end') this.#end(job, entry, outcomeOf(step), nowMs)
      else if (startMs > nowMs) this.#steps.add(startMs, step)
      else this.#begin(job, entry, nowMs)
    }
  }

  #begin(job: StoredLabJob, entry: LabEntry, nowMs: number): void {
    const policy = job.compiled.rules.overlap
    if (job.running.size === 0 || policy === 'allow') this.#start(job, entry, nowMs)
    else if (policy === 'queue-all') job.waiting.push(entry)
    else if (policy === 'queue-one' && job.waiting.length === 0) job.waiting.push(entry)
    else if (policy === 'queue-one' || policy === 'skip') this.#end(job, entry, 'skipped', nowMs)
    else {
      for (const waiting of job.waiting.splice(0)) this.#end(job, waiting, 'cancelled', nowMs)
      for (const previous of [...job.running]) this.#end(job, previous, 'cancelled', nowMs)
      this.#start(job, entry, nowMs)
    }
  }

  #start(job: StoredLabJob, entry: LabEntry, nowMs: number): void {
    const run = entry.run as LabRun
    run.startedMs = nowMs
    job.running.add(entry)
    this.#steps.add(nowMs + job.takesMs(entry.slotMs), { job, entry, kind: 'end' })
  }

  #end(job: StoredLabJob, entry: LabEntry, outcome: LabOutcome, nowMs: number): void {
    const run = entry.run as LabRun
    run.endedMs = nowMs
    run.outcome = outcome
    job.running.delete(entry)
    job.ledger.pack(nowMs, this.#options.availableMs)
    if (outcome === 'dead') job.move({ failures: job.cursor.failures + 1 })
    else if (outcome === 'succeeded') job.move({ failures: 0 })
    this.#options.onEnded(job, nowMs)
    const next = job.running.size === 0 ? job.waiting.shift() : undefined
    if (next) this.#start(job, next, nowMs)
  }
}

function outcomeOf({ job, entry }: Step): LabOutcome {
  return job.options.fails?.(new Date(entry.slotMs)) ? 'dead' : 'succeeded'
}
