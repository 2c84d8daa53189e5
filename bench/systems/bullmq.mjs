/** BullMQ 6 on Redis. Finished jobs are removed, which is its fastest setting. */
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'

const QUEUE = 'noop'
const defaultJobOptions = { removeOnComplete: true, removeOnFail: true }

/** @type {import('./adapter.mjs').Adapter} */
export const adapter = {
  bulk: {
    batchSize: 1000,
    inFlight: 2,
  },
  prepare: async () => {},
  open: async (env, role) => BullClient.open(env, role),
}

class BullClient {
  static async open({ redisUrl }, role) {
    const client = new BullClient()
    client.role = role
    client.redisUrl = redisUrl
    client.connections = Array.from({ length: role.connections ?? 1 }, () => connect(redisUrl))
    client.queues = client.connections.map(
      (connection) => new Queue(QUEUE, { connection, defaultJobOptions }),
    )
    for (const queue of client.queues) await queue.waitUntilReady()
    client.turn = 0
    return client
  }

  get queue() {
    return this.queues[this.turn++ % this.queues.length]
  }

  async submitMany(items) {
    await this.queue.addBulk(items.map(toJob))
  }

  async submitOne(item) {
    const { name, data, opts } = toJob(item)
    await this.queue.add(name, data, opts)
  }

  async start(handler) {
    const { profile, concurrency = 100 } = this.role
    const best = {
      throughput: 200,
      latency: 1,
      timed: 200,
      slow: concurrency,
      idle: 10,
    }
    this.worker = new Worker(QUEUE, async (job) => handler(job.data), {
      connection: connect(this.redisUrl),
      concurrency: best[profile],
      autorun: false,
    })
    this.worker.on('error', (error) => process.stderr.write(`bullmq: ${error.message}\n`))
    await this.worker.waitUntilReady()
    this.running = this.worker.run()
  }

  async hold() {
    await this.queues[0].pause()
  }

  async release() {
    await this.queues[0].resume()
  }

  async settled() {
    const counts = await this.queues[0].getJobCounts('waiting', 'active', 'delayed', 'prioritized')
    return Object.values(counts).every((count) => count === 0)
  }

  async close() {
    await this.worker?.close()
    for (const queue of this.queues) await queue.close()
    for (const connection of this.connections) connection.disconnect()
  }
}

const connect = (url) => new Redis(url, { maxRetriesPerRequest: null })

const toJob = ({ payload, dueMs }) => ({
  name: QUEUE,
  data: payload,
  opts: dueMs ? { delay: Math.max(0, dueMs - Date.now()) } : {},
})
