/** The one seam for measurements: what workers and roles report becomes Prometheus metrics. */
import type { ClaimedRun, ReapResult, Settlement } from '@punctual/core'
import type { PostgresStore } from '@punctual/store'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

const DEPTHS_CACHE_MS = 5_000

/** The series of one queue, looked up once: they are touched for every run. */
interface QueueSeries {
  readonly lateness: Histogram.Internal<'queue'>
  readonly duration: Histogram.Internal<'queue'>
  readonly succeeded: Counter.Internal
}

export class Metrics {
  readonly #registry = new Registry()
  readonly #outcomes: Counter<'queue' | 'outcome'>
  readonly #lateness: Histogram<'queue'>
  readonly #duration: Histogram<'queue'>
  readonly #stale: Counter
  readonly #errors: Counter<'where'>
  readonly #reaped: Counter<'what'>
  readonly #series = new Map<string, QueueSeries>()
  readonly #expose: () => void
  #exposed = false
  #depthsAtMs = Number.NEGATIVE_INFINITY

  constructor(store: PostgresStore, nowMs: () => number) {
    this.#expose = () => this.#exposeProcess(store, nowMs)
    const registers = [this.#registry]
    this.#outcomes = new Counter({
      name: 'punctual_attempts_total',
      help: 'Attempts of this process by how they ended.',
      labelNames: ['queue', 'outcome'],
      registers,
    })
    const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 300]
    this.#lateness = new Histogram({
      name: 'punctual_lateness_seconds',
      help: 'Start minus due time.',
      labelNames: ['queue'],
      buckets,
      registers,
    })
    this.#duration = new Histogram({
      name: 'punctual_attempt_seconds',
      help: 'How long attempts took.',
      labelNames: ['queue'],
      buckets,
      registers,
    })
    this.#stale = new Counter({
      name: 'punctual_stale_settles_total',
      help: 'Outcomes refused because the run was given to another worker.',
      registers,
    })
    this.#errors = new Counter({
      name: 'punctual_errors_total',
      help: 'Faults of this process by where they happened.',
      labelNames: ['where'],
      registers,
    })
    this.#reaped = new Counter({
      name: 'punctual_reaped_total',
      help: 'Sessions fenced and runs taken back by this process.',
      labelNames: ['what'],
      registers,
    })
  }

  #of(queue: string): QueueSeries {
    let series = this.#series.get(queue)
    if (!series) {
      series = {
        lateness: this.#lateness.labels(queue),
        duration: this.#duration.labels(queue),
        succeeded: this.#outcomes.labels(queue, 'succeeded'),
      }
      this.#series.set(queue, series)
    }
    return series
  }

  started(run: ClaimedRun, latenessMs: number): void {
    this.#of(run.queue).lateness.observe(Math.max(0, latenessMs) / 1_000)
  }

  settled(settlement: Settlement, accepted: boolean): void {
    const { queue } = settlement.run
    const series = this.#of(queue)
    if (!accepted) this.#stale.inc()
    if (settlement.kind === 'succeeded') series.succeeded.inc()
    else this.#outcomes.inc({ queue, outcome: settlement.outcome })
    series.duration.observe(settlement.startedAgoMs / 1_000)
  }

  transacted(run: ClaimedRun): void {
    this.#outcomes.inc({ queue: run.queue, outcome: 'succeeded' })
  }

  failed(where: string): void {
    this.#errors.inc({ where })
  }

  reaped(result: ReapResult): void {
    for (const [what, count] of Object.entries(result)) this.#reaped.inc({ what }, count)
  }

  /** Adds what is read from the database, at most every five seconds, and from the process. */
  #exposeProcess(store: PostgresStore, nowMs: () => number): void {
    collectDefaultMetrics({ register: this.#registry })
    const registers = [this.#registry]
    const due = new Gauge({
      name: 'punctual_queue_due',
      help: 'Runs that are due and wait for a worker (counted to 10,000 a lane).',
      labelNames: ['queue'],
      registers,
    })
    const running = new Gauge({
      name: 'punctual_queue_running',
      help: 'Runs held by workers.',
      labelNames: ['queue'],
      registers,
    })
    const oldest = new Gauge({
      name: 'punctual_queue_oldest_seconds',
      help: 'Age of the oldest due run.',
      labelNames: ['queue'],
      registers,
    })
    new Gauge({
      name: 'punctual_clock_skew_seconds',
      help: "How far this machine's clock is ahead of the database's.",
      registers,
      collect() {
        this.set(store.database.clock.skewMs / 1_000)
      },
    })
    new Gauge({
      name: 'punctual_up',
      help: '1 while the database answers.',
      registers,
      collect: async function () {
        if (nowMs() - this_.#depthsAtMs < DEPTHS_CACHE_MS) return
        this_.#depthsAtMs = nowMs()
        try {
          for (const gauge of [due, running, oldest]) gauge.reset()
          for (const lane of await store.depths()) {
            due.inc({ queue: lane.queue }, lane.due)
            running.inc({ queue: lane.queue }, lane.running)
            oldest.set({ queue: lane.queue }, lane.oldestMs / 1_000)
          }
          this.set(1)
        } catch {
          this.set(0)
        }
      },
    })
    const this_ = this
  }

  /** Everything in Prometheus' text format. What costs something is only measured once somebody asks. */
  text(): Promise<string> {
    if (!this.#exposed) this.#expose()
    this.#exposed = true
    return this.#registry.metrics()
  }
}
