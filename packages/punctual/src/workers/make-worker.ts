/** Makes the workers of this process: the options they share, and the listeners they report to. */
import { hostname } from 'node:os'
import { defaults } from '@punctual/core/errors'
import { createHeartbeat, type PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { Worker, type WorkerEvents, type WorkerOptions } from '@punctual/worker'
import type { Activity } from '../activity/activity.ts'
import type { CompiledOptions } from '../config/options.ts'
import { version } from '../config/version.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Waiter } from '../runs/waiter.ts'

export interface WorkerHome {
  readonly options: CompiledOptions
  readonly store: PostgresStore
  readonly databaseUrl: string
}

export type WorkerDifference = Pick<WorkerOptions, 'handlers' | 'events'> & Partial<WorkerOptions>

export function makeWorker(home: WorkerHome, difference: WorkerDifference): Worker {
  const { options, store, databaseUrl } = home
  store.signals.listen()
  const worker: Worker = new Worker({
    store: store.work,
    clock: systemClock,
    random: systemRandom,
    heartbeat: createHeartbeat({
      url: databaseUrl,
      schema: options.schema,
      renewMs: Math.floor(options.leaseMs / 3),
      stallMs: defaults.stallMs,
    }),
    transaction: (run, startedAgoMs, work) =>
      store.handlerTransactions.succeedWith(run, worker.sessionId ?? '0', startedAgoMs, work),
    secret: ({ tenantId }, name) => store.secrets.read(tenantId, name),
    ...callbacksOf(home),
    onHint: (listener) => store.signals.onHint(listener),
    hintsArrive: () => store.signals.connected,
    queues: options.queues,
    concurrency: options.concurrency,
    queueConcurrency: options.queueConcurrency,
    leaseMs: options.leaseMs,
    outputBytes: options.outputBytes,
    labels: options.labels,
    host: hostname(),
    pid: process.pid,
    version,
    ...difference,
  })
  return worker
}

/** Where targets report, when this process knows it. */
function callbacksOf({ options, store }: WorkerHome): Pick<WorkerOptions, 'callback'> {
  const { callbackUrl } = options
  if (callbackUrl === null) return {}
  return {
    callback: async ({ id: runId, tenantId, attempt }) => ({
      url: `${callbackUrl}/v1/runs/${runId}`,
      token: await store.callbackTokens.make({ tenantId, runId, attempt: attempt + 1 }),
    }),
  }
}

export interface WorkerReports {
  readonly store: PostgresStore
  readonly metrics: Metrics
  readonly waiter: Waiter
  readonly events: Activity
  readonly warn: (fields: object, message: string) => void
  readonly fault: (where: string, error: unknown) => void
}

/** Reports to metrics, waits, activity listeners and the log. */
export function reportTo(to: WorkerReports): WorkerEvents {
  const { store, metrics, waiter, events, warn, fault } = to
  return {
    onStarted: (run, atMs) => {
      metrics.started(run, store.database.clock.at(atMs) - run.dueMs)
      events.started(run, atMs)
    },
    onSettled: (settlement, accepted) => {
      metrics.settled(settlement, accepted)
      if (settlement.kind !== 'retry') waiter.settled(settlement.run.id)
      if (accepted) events.settled(settlement)
      else
        warn(
          { runId: settlement.run.id },
          'an outcome was refused: another worker owns the run now',
        )
    },
    onTransacted: (run) => {
      metrics.transacted(run)
      waiter.settled(run.id)
      events.succeeded(run)
    },
    onSessionLost: (sessionId) => {
      warn({}, 'this worker lost its lease and opens a new session')
      events.workerLost(sessionId, hostname(), process.pid)
    },
    onError: fault,
  }
}
