/** Random submissions and jobs. The payload of a run is the behaviour of its handler. */
import { type CompiledJob, compileJob, type JobOptions, type Overlap } from '@punctual/core/job'
import { compileOptions, makeSubmission, type Submission } from '@punctual/core/submit'
import type { Chance } from './chance.ts'
import { type Behaviour, HANDLER } from './handlers.ts'
import type { Settings } from './settings.ts'

const OVERLAPS: readonly Overlap[] = [
  ...(['allow', 'skip', 'queue-one', 'queue-all'] as const),
  ...(['cancel-previous', 'terminate-previous'] as const),
]

/** Everywhere a key has the same limit. */
const KEYS = [
  { key: 'one', limit: 1 },
  { key: 'two', limit: 2 },
]
const RATES = [
  { key: 'fast', limit: 3, per: 'second', burst: 1 },
  { key: 'slow', limit: 1, per: 2_000, burst: 3 },
] as const

/** Mostly the default. */
export const PRIORITIES = [5, 5, 5, 9] as const

export class Inputs {
  readonly #chance: Chance
  readonly #settings: Settings
  /** No job has a slot after this. */
  readonly #untilMs: number

  constructor(chance: Chance, settings: Settings, untilMs: number) {
    this.#chance = chance
    this.#settings = settings
    this.#untilMs = untilMs
  }

  /** How the handler of a run behaves, as JSON. */
  payload(): string {
    return JSON.stringify(this.#behaviour())
  }

  #behaviour(): Behaviour {
    const chance = this.#chance
    const { leaseMs, handlerMsMax } = this.#settings
    const long = chance.chance(0.1)
    return {
      takesMs: long ? chance.int(0, 2 * leaseMs) : chance.int(0, handlerMsMax),
      fails: chance.chance(0.25) ? chance.int(1, 4) : 0,
      heeds: chance.chance(0.6),
      transacts: chance.chance(0.15),
      checkpoints: chance.chance(0.2),
      kills: chance.chance(0.03) ? chance.int(1, 4) : 0,
      reportsAfterMs: chance.chance(0.2) ? chance.int(0, 6_000) : null,
      reports: chance.pick(['success', 'success', 'failure', 'twice', 'never'] as const),
    }
  }

  #timeout(): { timeoutMs?: number } {
    const chance = this.#chance
    return chance.chance(0.2) ? { timeoutMs: chance.int(100, 2_000) } : {}
  }

  /** Half of the seeds have flow control. */
  #flow(): Pick<JobOptions, 'concurrency' | 'rate'> {
    const chance = this.#chance
    if (!this.#settings.flow) return {}
    return {
      ...(chance.chance(0.4) && { concurrency: chance.pick(KEYS) }),
      ...(chance.chance(0.3) && { rate: chance.pick(RATES) }),
    }
  }

  job(name: string): CompiledJob {
    const chance = this.#chance
    const endMs = this.#untilMs
    const options: JobOptions = {
      ...{ name, handler: HANDLER, payload: this.#behaviour() },
      ...chance.pick<Partial<JobOptions>>([
        { cron: '*/2 * * * * *' },
        { cron: '* * * * * *' },
        { every: '3s' },
        { everyAfterEnd: '1s' },
        { everyAfterEnd: '2s' },
        { at: endMs },
      ]),
      ...{ overlap: chance.pick(OVERLAPS), maxAttempts: chance.int(1, 3) },
      endAt: endMs + 1,
      retry: { backoff: { kind: 'fixed', delayMs: chance.pick([0, 500, 3_000]) } },
      ...(chance.chance(0.3) && { maxRuns: chance.int(1, 5) }),
      ...(chance.chance(0.3) && { misfire: chance.pick(['latest', 'none'] as const) }),
      ...this.#timeout(),
      ...this.#flow(),
    }
    return compileJob(options, { timezone: 'UTC', jitterMs: 0 })
  }

  submission(): Submission {
    const chance = this.#chance
    const options = compileOptions(HANDLER, {
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
      ...this.#flow(),
    })
    return makeSubmission(options, this.payload())
  }
}
