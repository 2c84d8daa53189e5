/**
 * Gauges of what all processes share: queues and workers. One query round fills them all, at most
 * every five seconds, and every scrape waits for it: all gauges of a scrape are of the same
 * instant.
 */
import type { PostgresStore } from '@punctual/store'
import { Gauge, type Registry } from 'prom-client'
import type { Workers } from '../queues/workers.ts'

const CACHE_MS = 5_000

/** Makes a gauge that is filled by the shared query round. */
type MakeGauge = (name: string, help: string, label: 'queue' | 'handler' | 'state') => Gauge
type Fill = () => Promise<void>

interface Fleet {
  readonly store: PostgresStore
  readonly workers: Workers
}

interface Registries {
  readonly open: Registry
  /** Of metrics that name queues and handlers. */
  readonly named: Registry
}

export function exposeFleet(fleet: Fleet, { open, named }: Registries, nowMs: () => number): void {
  const fills: Fill[] = []
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<boolean> = Promise.resolve(false)
  const read = (): Promise<boolean> => {
    if (nowMs() - readAtMs < CACHE_MS) return reading
    readAtMs = nowMs()
    reading = Promise.all(fills.map((fill) => fill())).then(
      () => true,
      () => false,
    )
    return reading
  }
  const collect = async () => void (await read())
  const make: MakeGauge = (name, help, label) =>
    new Gauge({
      ...{ name, help, collect, labelNames: [label] },
      registers: [label === 'state' ? open : named],
    })
  fills.push(queueGauges(fleet.store, make), workerGauges(fleet.workers, make))
  new Gauge({
    name: 'punctual_up',
    help: '1 while the database answers.',
    registers: [open],
    async collect() {
      this.set(Number(await read()))
    },
  })
}

function queueGauges(store: PostgresStore, make: MakeGauge): Fill {
  const due = make(
    'punctual_queue_due',
    'Runs that are due and wait for a worker (counted up to 10,000 per lane).',
    'queue',
  )
  const running = make('punctual_queue_running', 'Runs held by workers.', 'queue')
  const oldest = make('punctual_queue_oldest_seconds', 'Age of the oldest due run.', 'queue')
  const paused = make('punctual_queue_paused', '1 while the queue is paused, else 0.', 'queue')
  return async () => {
    const depths = await store.queues.depths()
    for (const gauge of [due, running, oldest, paused]) gauge.reset()
    const oldestMs = new Map<string, number>()
    for (const lane of depths) {
      due.inc({ queue: lane.queue }, lane.due)
      running.inc({ queue: lane.queue }, lane.running)
      paused.set({ queue: lane.queue }, Number(lane.paused))
      oldestMs.set(lane.queue, Math.max(oldestMs.get(lane.queue) ?? 0, lane.oldestMs))
    }
    for (const [queue, ms] of oldestMs) oldest.set({ queue }, ms / 1_000)
  }
}

function workerGauges(processes: Workers, make: MakeGauge): Fill {
  const workers = make('punctual_workers', 'Workers by state: active, draining, lost.', 'state')
  const stuck = make(
    'punctual_stuck_handlers',
    'Handlers still executing after their attempt has ended; each keeps one permit of capacity.',
    'handler',
  )
  return async () => {
    const present = await processes.present()
    workers.reset()
    stuck.reset()
    for (const state of ['active', 'draining', 'lost'])
      workers.set({ state }, present.filter((worker) => worker.state === state).length)
    for (const { handler } of present.flatMap((worker) => worker.stuck)) stuck.inc({ handler })
  }
}
