/** User actions: register jobs, submit runs with and without keys, cancel, reschedule, trigger. */
import { compileJob, type JobOptions, type Overlap } from '@punctual/core/job'
import { compileOptions, type SubmitOptions } from '@punctual/core/submit'
import type { MemorySubmitter } from '@punctual/store/memory'
import type { Chance } from './chance.ts'
import { type Behaviour, HANDLER } from './handlers.ts'
import type { Ledger } from './ledger.ts'
import type { Settings } from './settings.ts'
import type { Machine, Timeline } from './timeline.ts'

const OVERLAPS: readonly Overlap[] = [
  ...(['allow', 'skip', 'queue-one', 'queue-all'] as const),
  ...(['cancel-previous', 'terminate-previous'] as const),
]

const steps = [
  ...(['cancel', 'cancel', 'cancel', 'reschedule', 'reschedule'] as const),
  ...(['trigger', 'drain', 'pause'] as const),
]

/** Mostly the default. */
export const PRIORITIES = [5, 5, 5, 9] as const

export interface WorkloadOptions {
  readonly timeline: Timeline
  readonly settings: Settings
  readonly chance: Chance
  readonly ledger: Ledger
  readonly submitter: MemorySubmitter
  readonly machine: Machine
  /** Users do nothing after this. */
  readonly untilMs: number
}

export class Workload {
  readonly #options: WorkloadOptions
  readonly #jobs: string[] = []
  /** Requests in flight: nothing is judged before they have their answers. */
  pending = 0

  constructor(options: WorkloadOptions) {
    this.#options = options
  }

  start(): void {
    const { chance, settings } = this.#options
    for (let n = 0; n < settings.jobs; n++) this.#soon(() => this.#register(n))
    const runs = chance.int(10, 25)
    for (let n = 0; n < runs; n++) this.#soon(() => this.#submit())
    const steps = chance.int(0, 20)
    for (let n = 0; n < steps; n++) this.#soon(() => this.#steer())
  }

  /** Acts at a random time before the end. */
  #soon(act: () => Promise<void>): void {
    const { timeline, chance, untilMs, machine } = this.#options
    const inMs = Math.floor((untilMs - timeline.nowMs) * chance.fraction() ** 1.5)
    this.pending++
    timeline.after(inMs, machine, () => {
      act()
        .catch(() => undefined)
        .finally(() => {
          this.pending--
        })
    })
  }

  async #register(n: number): Promise<void> {
    const { chance, submitter, untilMs } = this.#options
    const options: JobOptions = {
      ...{ name: `job ${n}`, handler: HANDLER, payload: this.#behaviour() },
      ...chance.pick<Partial<JobOptions>>([
        { cron: '*/2 * * * * *' },
        { cron: '* * * * * *' },
        { every: '3s' },
        { everyAfterEnd: '1s' },
        { everyAfterEnd: '2s' },
        { at: untilMs },
      ]),
      ...{ overlap: chance.pick(OVERLAPS), maxAttempts: chance.int(1, 3) },
      endAt: untilMs + 1,
      retry: { backoff: { kind: 'fixed', delayMs: chance.pick([0, 500, 3_000]) } },
      ...(chance.chance(0.3) && { maxRuns: chance.int(1, 5) }),
      ...(chance.chance(0.3) && { misfire: chance.pick(['latest', 'none'] as const) }),
      ...this.#timeout(),
    }
    const compiled = compileJob(options, { timezone: 'UTC', jitterMs: 0 })
    this.#jobs.push(await submitter.job(compiled))
  }

  #timeout(): { timeoutMs?: number } {
    const { chance } = this.#options
    return chance.chance(0.2) ? { timeoutMs: chance.int(100, 2_000) } : {}
  }

  #behaviour(): Behaviour {
    const { chance, settings } = this.#options
    const long = chance.chance(0.1)
    return {
      takesMs: long ? chance.int(0, 2 * settings.leaseMs) : chance.int(0, settings.handlerMsMax),
      fails: chance.chance(0.25) ? chance.int(1, 4) : 0,
      heeds: chance.chance(0.6),
      transacts: chance.chance(0.15),
      checkpoints: chance.chance(0.2),
      kills: chance.chance(0.03) ? chance.int(1, 4) : 0,
    }
  }

  async #submit(): Promise<void> {
    const { chance, ledger, submitter } = this.#options
    const options: SubmitOptions = {
      ...(chance.chance(0.25) && { key: chance.pick(['a', 'b', 'c']) }),
      ...(chance.chance(0.4) && { delayMs: chance.int(0, 20_000) }),
      priority: chance.pick(PRIORITIES),
      ...(chance.chance(0.2) ? { delivery: 'at-most-once' } : { maxAttempts: chance.int(1, 4) }),
      ...(chance.chance(0.1) && { heartbeatMs: 1_000 }),
      retry: {
        backoff: { kind: 'fixed', delayMs: chance.pick([0, 200, 5_000]) },
        ...(chance.chance(0.1) && { retryOn: ['failed'] as const }),
      },
      ...this.#timeout(),
    }
    const payload = JSON.stringify(this.#behaviour())
    const run = await submitter.prepare({ options: compileOptions(HANDLER, options), payload })
    try {
      const { id } = await submitter.submit(run)
      ledger.acknowledged.add(id)
    } catch (error) {
      ledger.doubtful.add(run.id)
      throw error
    }
  }

  async #steer(): Promise<void> {
    const { chance, ledger, submitter, timeline } = this.#options
    // Recent submissions are more likely to be in flight.
    const ids = [...ledger.acknowledged].slice(chance.chance(0.7) ? -4 : 0)
    const id = ids.length > 0 ? chance.pick(ids) : null
    const kind = chance.pick(steps)
    if (kind === 'trigger') {
      if (this.#jobs.length > 0) await submitter.trigger(chance.pick(this.#jobs))
    } else if (kind === 'drain' || kind === 'pause') await this.#hold(kind)
    else if (id !== null && kind === 'cancel') await submitter.cancel(id, 'asked')
    else if (id !== null) await submitter.reschedule(id, timeline.nowMs + chance.int(0, 15_000))
  }

  /**
   * Drains a worker or pauses the queue for a while. A withdrawal that fails is repeated at the
   * end.
   */
  async #hold(kind: 'drain' | 'pause'): Promise<void> {
    const { chance, submitter } = this.#options
    const set = kind === 'drain' ? await submitter.drain(chance) : await submitter.pause()
    this.#soon(() => set(false))
  }
}
