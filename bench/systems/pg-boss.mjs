/**
 * pg-boss 10. Its `work()` polls at most twice a second and completes a batch without waiting, so
 * its best throughput is a hand-made loop of its public `fetch` and `complete`, which the
 * throughput profile runs. Where lateness is measured, `work()` runs at its fastest poll.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import PgBoss from 'pg-boss'

const QUEUE = 'noop'
const POLL_SECONDS = 0.5
const TIMED_POLL_MS = 10
/** A fetch sorts all waiting jobs, so few large fetches are faster than many small ones. */
const BATCH_SIZE = 20_000
const FLEET_BATCH_SIZE = 5_000
const LOOPS = 2

/** @type {import('./adapter.mjs').Adapter} */
export const adapter = {
  bulk: {
    batchSize: 1000,
    inFlight: 2,
  },
  async prepare({ databaseUrl }) {
    const boss = new PgBoss(databaseUrl)
    await boss.start()
    await boss.createQueue(QUEUE)
    await boss.stop({ graceful: true })
  },
  open: async (env, role) => BossClient.open(env, role),
}

class BossClient {
  #stopping = false
  #held = 0
  #loops = []

  static async open({ databaseUrl }, role) {
    const client = new BossClient()
    client.role = role
    const serves = role.work === true
    client.boss = new PgBoss({
      connectionString: databaseUrl,
      max: role.connections ?? (role.profile === 'slow' ? 3 : 10),
      schedule: role.profile === 'idle',
      supervise: serves,
      migrate: false,
    })
    client.boss.on('error', (error) => process.stderr.write(`pg-boss: ${error.message}\n`))
    await client.boss.start()
    return client
  }

  async submitMany(items) {
    await this.boss.insert(items.map(toJob))
  }

  async submitOne({ payload, dueMs }) {
    await this.boss.send(QUEUE, payload, dueMs ? { startAfter: new Date(dueMs) } : {})
  }

  async start(handler) {
    const { profile, concurrency = 100 } = this.role
    if (profile === 'throughput' || profile === 'timed') {
      const pauseMs = profile === 'timed' ? TIMED_POLL_MS : POLL_SECONDS * 1000
      for (let i = 0; i < LOOPS; i++) this.#loops.push(this.#fetchLoop(handler, pauseMs))
    } else if (profile === 'slow') {
      this.#loops.push(this.#slotLoop(handler, concurrency))
    } else {
      const pollingIntervalSeconds = profile === 'idle' ? 2 : POLL_SECONDS
      const batchSize = profile === 'idle' ? 1 : 2000
      await this.boss.work(QUEUE, { pollingIntervalSeconds, batchSize }, async (jobs) => {
        for (const job of jobs) await handler(job.data)
      })
    }
  }

  /** One batch at a time: fetch, handle, complete; waits for the completion. */
  async #fetchLoop(handler, pauseMs) {
    const batchSize = (this.role.processes ?? 1) > 1 ? FLEET_BATCH_SIZE : BATCH_SIZE
    while (!this.#stopping) {
      const jobs = await this.boss.fetch(QUEUE, { batchSize, priority: false })
      this.#held += jobs.length
      for (const job of jobs) await handler(job.data)
      const ids = jobs.map((job) => job.id)
      if (ids.length > 0) await this.boss.complete(QUEUE, ids)
      else await sleep(pauseMs)
      this.#held -= jobs.length
    }
  }

  /** Twice a second: completes ended jobs, then fills the free capacity. */
  async #slotLoop(handler, concurrency) {
    const ended = []
    const handle = async ({ id, data }) => {
      await handler(data)
      ended.push(id)
    }
    while (!this.#stopping) {
      const done = ended.splice(0)
      if (done.length > 0) await this.boss.complete(QUEUE, done)
      this.#held -= done.length
      const free = concurrency - this.#held
      const jobs = free > 0 ? await this.boss.fetch(QUEUE, { batchSize: free }) : []
      this.#held += jobs.length
      for (const job of jobs) void handle(job)
      await sleep(POLL_SECONDS * 1000)
    }
  }

  /** Completions are awaited above, and finished jobs stay in the table: memory knows it sooner. */
  async settled() {
    return this.#held === 0
  }

  async close() {
    this.#stopping = true
    await Promise.all(this.#loops)
    await this.boss.stop({ graceful: true, wait: true, timeout: 5000 })
  }
}

const toJob = ({ payload, dueMs }) => ({
  name: QUEUE,
  data: payload,
  startAfter: dueMs ? new Date(dueMs).toISOString() : undefined,
})
