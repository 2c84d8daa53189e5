/**
 * Punctual through its public library, built from this checkout; next fires as its planner computes
 * them.
 */
import pg from 'pg'
import { compileTiming, nextSlot } from '../../packages/core/dist/schedule/index.js'

const LIBRARY = new URL('../../packages/punctual/dist/index.js', import.meta.url)
const HANDLER = 'noop'
const SCHEMA = 'punctual'

/** @type {Record<import('./adapter.mjs').Profile, (role: import('./adapter.mjs').Role) => object>} */
const WORKER = {
  throughput: () => ({ concurrency: 1000 }),
  latency: () => ({ concurrency: 100 }),
  timed: () => ({ concurrency: 1000 }),
  slow: ({ concurrency = 100 }) => ({ concurrency }),
  idle: () => ({}),
}

/** A worker of HTTP targets without handlers; it begins to claim as soon as it is open. */
const TARGETS = { targets: ['http'], egressAllow: ['localhost:*'] }

/** @type {import('./adapter.mjs').Adapter} */
export const adapter = {
  bulk: { batchSize: 1000, inFlight: 4 },
  async prepare({ databaseUrl }) {
    const punctual = await start({ databaseUrl, roles: [] })
    await punctual.stop()
  },
  open: async (env, role) => (role.server ? openHttp(env, role) : PunctualClient.open(env, role)),
  /** Starts a node with HTTP, from which workers over HTTP claim their runs. */
  async serve({ databaseUrl }) {
    const { serve } = await import('./punctual-http.mjs')
    return serve(await start({ databaseUrl, roles: ['reaper', 'janitor'] }))
  },
  /** The product's own proof over all jobs. */
  async verify({ databaseUrl }, { fromMs, untilMs }) {
    const punctual = await start({ databaseUrl, roles: [] })
    const found = await punctual.verify({ from: fromMs, to: untilMs })
    await punctual.stop()
    const { jobs, slots, pending, holes, doubles, strays, lost, cursors } = found
    const wrong = pending + holes + doubles + strays + lost + cursors
    return {
      wrong,
      text: found.clean ? 'clean' : 'FINDINGS',
      jobs,
      slots,
      pending,
      findings: found.findings.slice(0, 3),
    }
  },
  nextOf(cron, timezone = 'UTC') {
    const timing = compileTiming({ expression: cron, tz: timezone })
    return (afterMs) => nextSlot(timing, afterMs)
  },
}

async function openHttp({ databaseUrl }, role) {
  const { HttpClient } = await import('./punctual-http.mjs')
  const probe = new pg.Client(databaseUrl)
  await probe.connect()
  return new HttpClient(role.server, role, probe)
}

class PunctualClient {
  static async open({ databaseUrl }, role) {
    const client = new PunctualClient()
    const profile = role.work && WORKER[role.profile](role)
    const worker = role.work
      ? { worker: role.targets ? { ...profile, ...TARGETS } : profile }
      : { roles: [] }
    const roles = role.roles ? { roles: role.roles } : {}
    client.punctual = await start({ databaseUrl, ...worker, ...roles })
    client.probe = new pg.Client(databaseUrl)
    await client.probe.connect()
    client.submitting = role.tenant
      ? client.punctual.tenant(await internTenant(client.punctual, role.tenant, role.quotas))
      : client.punctual
    return client
  }

  async submitMany(items, options = {}) {
    const payloads = items.map(({ payload }) => payload)
    const timed = items[0].dueMs !== undefined
    const more = timed ? (_, i) => runAt(items[i]) : options
    await this.submitting.submitMany(HANDLER, payloads, more)
  }

  async submitOne({ payload, dueMs }) {
    await this.submitting.submit(HANDLER, payload, dueMs ? { runAt: dueMs } : {})
  }

  async upsertJobs(jobs) {
    await this.punctual.jobs.upsertMany(jobs)
  }

  async submitTargets(url, count) {
    const target = { kind: 'http', url }
    for (let left = count; left > 0; left -= 1_000)
      await this.submitting.submitMany(target, Array(Math.min(left, 1_000)).fill({ n: 1 }))
  }

  /** Registering the handler makes a started instance claim. */
  async start(handler) {
    this.punctual.handler(HANDLER, async (payload, context) => handler(payload, context))
  }

  async settled() {
    const left = await this.probe.query(
      `select exists (select 1 from ${SCHEMA}.leases) or exists (select 1 from ${SCHEMA}.queue)
         or exists (select 1 from ${SCHEMA}.later) as any`,
    )
    return !left.rows[0].any
  }

  async close() {
    await this.punctual.stop()
    await this.probe.end()
  }
}

async function start(options) {
  const { Punctual } = await import(LIBRARY.href)
  if (!Punctual) throw new Error('packages/punctual does not export Punctual.')
  return Punctual.start({ schema: SCHEMA, logger: false, ...options })
}

async function internTenant({ tenants }, name, quotas) {
  const tenant = (await tenants.get(name)) ?? (await tenants.create({ name }))
  if (quotas) await tenants.update(name, { quotas })
  return tenant.id
}

const runAt = ({ dueMs }) => ({ runAt: dueMs })
