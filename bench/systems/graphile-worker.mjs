/**
 * graphile-worker 0.17. Bulk submissions use its documented SQL function `add_jobs`, which is
 * faster than `workerUtils.addJobs` because it returns no jobs. README.md has the sweep of its
 * settings.
 */
import { Logger, makeWorkerUtils, run, runMigrations } from 'graphile-worker'
import pg from 'pg'

const logger = new Logger(() => () => {})

const ADD_JOBS = `select count(*) from graphile_worker.add_jobs(array(
  select json_populate_recordset(null::graphile_worker.job_spec, $1::json)))`

const BATCHED = { completeJobBatchDelay: 0, failJobBatchDelay: 0 }

/** @type {Record<import('./adapter.mjs').Profile, (role: import('./adapter.mjs').Role) => object>} */
const PROFILES = {
  throughput: ({ processes = 1 }) => ({
    ...BATCHED,
    concurrentJobs: 24,
    localQueue: { size: processes > 1 ? 1000 : 5000 },
  }),
  latency: () => ({ ...BATCHED, concurrentJobs: 10, localQueue: { size: 100 } }),
  timed: () => ({ ...BATCHED, concurrentJobs: 24, localQueue: { size: 500 }, pollInterval: 5 }),
  // Every addJob wakes every process; without the refetch delay fifty of them overload the server.
  slow: ({ concurrency = 100 }) => ({
    ...BATCHED,
    concurrentJobs: concurrency,
    maxPoolSize: 4,
    localQueue: { size: 10, refetchDelay: { durationMs: 100, threshold: 9 } },
  }),
  idle: () => ({ concurrentJobs: 10, localQueue: { size: 11 } }),
}

/** @type {import('./adapter.mjs').Adapter} */
export const adapter = {
  bulk: {
    batchSize: 1000,
    inFlight: 2,
  },
  prepare: (env) => runMigrations({ connectionString: env.databaseUrl, logger }),
  open: async (env, role) => GraphileClient.open(env, role),
}

class GraphileClient {
  static async open({ databaseUrl }, role) {
    const client = new GraphileClient()
    client.role = role
    client.connectionString = databaseUrl
    client.pool = new pg.Pool({ connectionString: databaseUrl, max: role.connections ?? 10 })
    if (role.produce) client.utils = await makeWorkerUtils({ pgPool: client.pool, logger })
    if (role.work) await client.pool.query('select 1')
    return client
  }

  async submitMany(items) {
    await this.pool.query({
      name: 'add_jobs',
      text: ADD_JOBS,
      values: [JSON.stringify(items.map(toSpec))],
    })
  }

  async submitOne({ payload, dueMs }) {
    await this.utils.addJob('noop', payload, dueMs ? { runAt: new Date(dueMs) } : {})
  }

  async start(handler) {
    this.runner = await run({
      noHandleSignals: true,
      crontab: '',
      taskList: { noop: async (payload) => handler(payload) },
      preset: {
        worker: {
          connectionString: this.connectionString,
          logger,
          ...PROFILES[this.role.profile](this.role),
        },
      },
    })
  }

  async settled() {
    const left = await this.pool.query('select 1 from graphile_worker._private_jobs limit 1')
    return left.rowCount === 0
  }

  async close() {
    await this.runner?.stop()
    await this.utils?.release()
    if (!this.pool.ended) await this.pool.end()
  }
}

const toSpec = ({ payload, dueMs }) => ({
  identifier: 'noop',
  payload,
  run_at: dueMs ? new Date(dueMs).toISOString() : undefined,
})
