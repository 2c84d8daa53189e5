/**
 * Counts and durations of this process's attempts, by queue. Every run passes through here, so
 * recording only adds to a number in an array; the Prometheus format is built at a scrape.
 */
import type { Histogram, Registry } from 'prom-client'

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 300]

class Distribution {
  /** One count for each bound, and one for values above the last. */
  readonly counts = new Float64Array(bounds.length + 1)
  sum = 0

  observe(seconds: number): void {
    let at = 0
    while (at < bounds.length && seconds > (bounds[at] as number)) at++
    this.counts[at] = (this.counts[at] as number) + 1
    this.sum += seconds
  }
}

interface QueueTally {
  readonly lateness: Distribution
  readonly duration: Distribution
  readonly outcomes: Map<string, number>
}

export class RunTally {
  readonly #queues = new Map<string, QueueTally>()
  #last: { queue: string; tally: QueueTally } | null = null

  #tallyOf(queue: string): QueueTally {
    if (this.#last?.queue === queue) return this.#last.tally
    let tally = this.#queues.get(queue)
    if (!tally) {
      tally = { lateness: new Distribution(), duration: new Distribution(), outcomes: new Map() }
      this.#queues.set(queue, tally)
    }
    this.#last = { queue, tally }
    return tally
  }

  started(queue: string, latenessMs: number): void {
    this.#tallyOf(queue).lateness.observe(Math.max(0, latenessMs) / 1_000)
  }

  ended(queue: string, outcome: string, durationMs: number | null): void {
    const { outcomes, duration } = this.#tallyOf(queue)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    if (durationMs !== null) duration.observe(durationMs / 1_000)
  }

  /** Adds the tallies to a registry. */
  register(registry: Registry): void {
    const histogram = (
      name: string,
      help: string,
      distributionOf: (tally: QueueTally) => Distribution,
    ) =>
      register(registry, { name, help, type: 'histogram' }, () =>
        [...this.#queues].flatMap(([queue, tally]) => series(name, queue, distributionOf(tally))),
      )
    histogram('punctual_lateness_seconds', 'Start time minus due time.', (tally) => tally.lateness)
    histogram('punctual_attempt_seconds', 'Duration of attempts.', (tally) => tally.duration)
    const attempts = {
      name: 'punctual_attempts_total',
      help: 'Attempts of this process, by outcome.',
      type: 'counter',
    }
    register(registry, attempts, () =>
      [...this.#queues].flatMap(([queue, { outcomes }]) =>
        [...outcomes].map(([outcome, value]) => ({ labels: { queue, outcome }, value })),
      ),
    )
  }
}

interface Sample {
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
  readonly metricName?: string
}

function series(name: string, queue: string, { counts, sum }: Distribution): Sample[] {
  let total = 0
  const buckets = [...counts].map((count, i) => {
    total += count
    const le = bounds[i] ?? '+Inf'
    return { labels: { le, queue }, value: total, metricName: `${name}_bucket` }
  })
  return [
    ...buckets,
    { labels: { queue }, value: sum, metricName: `${name}_sum` },
    { labels: { queue }, value: total, metricName: `${name}_count` },
  ]
}

/**
 * The registry calls only `get` on a metric, so the tallies need not be copied into a prom-client
 * metric.
 */
function register(
  registry: Registry,
  description: { name: string; help: string; type: string },
  samples: () => Sample[],
): void {
  const metric = {
    ...description,
    get: async () => ({ ...description, aggregator: 'sum', values: samples() }),
    reset: () => undefined,
  }
  registry.registerMetric(metric as unknown as Histogram)
}
