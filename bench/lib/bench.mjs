/**
 * What a scenario works with: the two servers, a fresh store for every measurement, child processes
 * that end with it, and the servers' CPU clock.
 */
import pg from 'pg'
import { SYSTEMS } from '../systems/catalogue.mjs'
import { Child } from './child.mjs'
import { treeCpuMs } from './cpu.mjs'
import { flushRedis, startPostgres, startRedis } from './servers.mjs'

export class Bench {
  #templates = new Set()
  #made = 0

  /** @param {ReturnType<import('./options.mjs').parseOptions>} options */
  static async start(options) {
    const bench = new Bench()
    bench.options = options
    const own = !options.databaseUrl
    bench.postgres = own ? await startPostgres() : { url: options.databaseUrl }
    bench.redis = options.redisUrl ? { url: options.redisUrl } : await startRedis()
    bench.admin = new pg.Client(bench.postgres.url)
    bench.admin.on('error', () => {})
    await bench.admin.connect()
    return bench
  }

  /**
   * Also called when interrupted, in the middle of a measurement. Ctrl-C reaches the servers as well,
   * so nothing here may wait for an answer of theirs; only a server that stays is tidied up.
   */
  async stop() {
    this.stopped = true
    if (!this.postgres.stop) {
      for (const name of this.#templates) await this.#drop(name).catch(() => {})
    }
    this.admin.connection.stream.destroy()
    await Promise.all([this.redis?.stop?.(), this.postgres.stop?.()])
  }

  /** The counts, made smaller by --scale. */
  count(full) {
    return Math.max(1, Math.round(full * this.options.scale))
  }

  /** Why a system cannot run here, or undefined. */
  missing(system) {
    const needsRedis = SYSTEMS[system].store === 'redis'
    if (needsRedis && !this.redis) return 'no redis-server: sudo apt-get install -y redis-server'
    return undefined
  }

  /**
   * Runs one measurement on a store that nobody used before: a clone of the system's prepared
   * database, after a checkpoint, or an emptied Redis.
   * @template T
   * @param {string} system
   * @param {(run: { env: object, child: () => Promise<Child>, analyze: () => Promise<void> }) => Promise<T>} measure
   * @returns {Promise<T>}
   */
  async fresh(system, measure) {
    const children = []
    const { env, dispose } = await this.#freshStore(system)
    const child = async () => {
      const started = await Child.start(system, env)
      children.push(started)
      return started
    }
    try {
      return await measure({ env, child, analyze: () => analyze(env) })
    } finally {
      for (const started of children) started.kill()
      await dispose()
    }
  }

  /** CPU of the server behind a system so far; null where its processes cannot be seen. */
  serverCpuMs(system) {
    const server = SYSTEMS[system].store === 'redis' ? this.redis : this.postgres
    return server?.pid ? treeCpuMs(server.pid) : null
  }

  async #freshStore(system) {
    if (SYSTEMS[system].store === 'redis') {
      await flushRedis(this.redis.url)
      return { env: { redisUrl: this.redis.url }, dispose: () => flushRedis(this.redis.url) }
    }
    const template = await this.#template(system)
    const name = `bench_${process.pid}_${++this.#made}`
    await this.admin.query(`create database ${name} template ${template}`)
    await this.admin.query('checkpoint')
    return { env: { databaseUrl: this.#url(name) }, dispose: () => this.#drop(name) }
  }

  /** The system's own schema, made once by the system itself. */
  async #template(system) {
    const name = `bench_${process.pid}_${system.replaceAll('-', '_')}`
    if (this.#templates.has(name)) return name
    await this.admin.query(`create database ${name}`)
    const child = await Child.start(system, { databaseUrl: this.#url(name) })
    try {
      await child.call('prepare')
    } catch (error) {
      await this.#drop(name)
      throw error
    } finally {
      child.kill()
    }
    this.#templates.add(name)
    return name
  }

  async #drop(name) {
    await this.admin.query(`drop database if exists ${name} with (force)`)
  }

  #url(database) {
    const url = new URL(this.postgres.url)
    url.pathname = `/${database}`
    return url.href
  }
}

/** Fresh tables have no statistics, production's have: without them some plans are unfairly bad. */
async function analyze({ databaseUrl }) {
  if (!databaseUrl) return
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query('analyze')
  await client.end()
}
