/**
 * Faults of the servers: killed, failed over, out of connections; and of the pooler before them.
 */
import pg from 'pg'
import { type Nemesis, pause } from './nemesis.ts'

const SERVER = { name: 'database' }

export const postmaster: Nemesis = {
  kind: 'postmaster',
  title: 'the postmaster is killed and the server recovers',
  async strike(world) {
    await world.fault('postmaster', SERVER, () => world.cluster.killPrimary())
  },
}

export const standby: Nemesis = {
  kind: 'standby',
  title: 'the standby is killed; commits wait until it is back',
  async strike(world) {
    await world.fault('standby', SERVER, () => world.cluster.killStandby())
  },
}

export const failover: Nemesis = {
  kind: 'failover',
  title: 'the primary dies and the standby is promoted; a new standby follows',
  async strike(world) {
    await world.cluster.inStep()
    await world.fault('failover', SERVER, () => world.cluster.failOver())
    await world.cluster.addStandby()
  },
}

export const exhaust: Nemesis = {
  kind: 'exhaust',
  title: 'a client takes every connection of the server',
  async strike(world, random, signal) {
    await world.fault('exhaust', SERVER, async (fault) => {
      const taken = await takeAll(world.cluster.url, signal)
      fault.note = `${taken.length} connections`
      await pause(random.between(3_000, 7_000), signal)
      await Promise.all(taken.map((client) => client.end().catch(() => undefined)))
    })
  },
}

const CONNECTIONS_MAX = 300

async function takeAll(url: string, signal: AbortSignal): Promise<pg.Client[]> {
  const taken: pg.Client[] = []
  while (taken.length < CONNECTIONS_MAX && !signal.aborted) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      taken.push(client)
    } catch {
      return taken
    }
  }
  return taken
}

export const pgbouncerRestart: Nemesis = {
  kind: 'pgbouncer',
  title: 'PgBouncer is killed and restarted',
  async strike(world) {
    const { pgbouncer } = world
    if (pgbouncer) await world.fault('pgbouncer', { name: 'pgbouncer' }, () => pgbouncer.restart())
  },
}
