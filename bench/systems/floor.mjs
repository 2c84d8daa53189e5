/** The floor behind the adapter interface. The floor itself, ../floor.mjs, remains one file. */
import pg from 'pg'
import { createFloor, FloorProducer, FloorWorker } from '../floor.mjs'

/** @type {import('./adapter.mjs').Adapter} */
export const adapter = {
  bulk: { batchSize: 1000, inFlight: 4 },
  prepare: (env) => createFloor(env.databaseUrl),
  open: async (env, role) => FloorClient.open(env, role),
}

class FloorClient {
  static async open({ databaseUrl }, { produce, work, profile, connections }) {
    const client = new FloorClient()
    client.profile = profile
    const notify = profile === 'latency'
    if (produce) client.producer = await FloorProducer.open(databaseUrl, { connections, notify })
    if (work) client.worker = await FloorWorker.open(databaseUrl)
    client.probe = new pg.Client(databaseUrl)
    await client.probe.connect()
    return client
  }

  submitMany(items) {
    return this.producer.submit(items.map(toText))
  }

  /** Single submissions that wait at the same time are sent as one batch. */
  submitOne(item) {
    this.waiting ??= []
    const done = new Promise((resolve, reject) => this.waiting.push({ item, resolve, reject }))
    void this.#flush()
    return done
  }

  async #flush() {
    if (this.flushing >= 2) return
    this.flushing = (this.flushing ?? 0) + 1
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0, 1000)
      try {
        await this.producer.submit(group.map(({ item }) => toText(item)))
        for (const { resolve } of group) resolve()
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.flushing--
  }

  /** Parses payloads only where the scenario needs their content. */
  async start(handler) {
    const counting = handler.countOnly
    this.running = this.worker.run((batch) => {
      if (counting) counting(batch.count)
      else for (const payload of JSON.parse(batch.payloads)) void handler(payload)
    })
  }

  async settled() {
    const left = await this.probe.query(
      'select exists (select 1 from floor.leases) or exists (select 1 from floor.queue) as any',
    )
    return !left.rows[0].any
  }

  async close() {
    await this.worker?.stop()
    await this.running
    await this.worker?.close()
    await this.producer?.close()
    await this.probe.end()
  }
}

const toText = ({ payload, dueMs }) => ({ payload: JSON.stringify(payload), dueMs })
