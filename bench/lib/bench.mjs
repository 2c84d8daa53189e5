/**
 * The environment of a scenario: the two servers, a fresh store for every measurement, child
 * processes that end with it, and the servers' CPU time.
 */
import pg from 'pg'
import { SYSTEMS } from '../systems/catalogue.mjs'
import { Child } from './child.mjs'
import { treeCpuMs } from './cpu.mjs'
import { flushRedis, startPostgres, startRedis } from './servers.mjs'

const DROP = (name) => `drop database if exists ${name} with (force)`

/** Its server may end at any time, which is not an error. */
function connect(url) {
  const client = new pg.Client(url)
  client.on('error', () => {})
  return client
}

export class Bench {
  #templates = new Set()
  /** Existing databases, dropped at the end from a server that stays. */
  #databases = new Set()
  #made = 0
  #settings = {}
  #ending = new AbortController()
  #starting = Promise.resolve()

  /** @param {ReturnType<import('./options.mjs').parseOptions>} options */
  constructor(options) {
    this.options = options
  }

  get stopped() {
    return this.#ending.signal.aborted
  }

  start() {
    this.#starting = this.#start()
    return this.#starting
  }

  async #start() {
    const { databaseUrl, redisUrl } = this.options
    const { signal } = this.#ending
    this.postgres = databaseUrl ? { url: databaseUrl } : await startPostgres(signal)
    signal.throwIfAborted()
    this.redis = redisUrl ? { url: redisUrl } : await startRedis()
    signal.throwIfAborted()
    this.admin = connect(this.postgres.url)
    await this.admin.connect()
  }

  /** Starts another, empty server when a scenario needs different settings. */
  async serveWith(settings = {}) {
    const changed = JSON.stringify(settings) !== JSON.stringify(this.#settings)
    if (!changed || !this.postgres.stop) return
    this.admin.connection.stream.destroy()
    await this.postgres.stop()
    this.#templates.clear()
    this.#databases.clear()
    this.#settings = settings
    this.postgres = await startPostgres(this.#ending.signal, settings)
    this.admin = connect(this.postgres.url)
    await this.admin.connect()
  }

  /**
   * Also called on an interrupt, during the start or a measurement. Ctrl-C reaches Redis as well,
   * so nothing here may wait for a server's answer; only a server that stays is cleaned up.
   */
  async stop() {
    this.#ending.abort(new Error('interrupted'))
    await this.#starting.catch(() => {})
    this.admin?.connection.stream.destroy()
    if (this.postgres && !this.postgres.stop) await this.#tidyUp().catch(() => {})
    await Promise.all([this.redis?.stop?.(), this.postgres?.stop?.()])
  }

  /** Uses a separate connection: the other one may be executing a long statement. */
  async #tidyUp() {
    const client = connect(this.postgres.url)
    await client.connect()
    for (const name of this.#databases) await client.query(DROP(name)).catch(() => {})
    await client.end()
  }

  /** Scales a full count down by --scale. */
  count(full) {
    return Math.max(1, Math.round(full * this.options.scale))
  }

  /** Returns why a system cannot run here, or undefined. */
  missing(system) {
    const needsRedis = SYSTEMS[system].store === 'redis'
    if (needsRedis && !this.redis) return 'no redis-server: sudo apt-get install -y redis-server'
    if (SYSTEMS[system].store === 'none' && !isInstalled(system))
      return 'not installed: npm ci in bench'
    return undefined
  }

  /**
   * Runs one measurement on an unused store: a clone of the system's prepared database after a
   * checkpoint, or an emptied Redis.
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

  /** CPU used so far by the server of a system; null where its processes are not visible. */
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
    this.#databases.add(name)
    await this.admin.query(`create database ${name} template ${template}`)
    await this.admin.query('checkpoint')
    return { env: { databaseUrl: this.#url(name) }, dispose: () => this.#drop(name) }
  }

  /** A database with the system's schema, created once by the system itself. */
  async #template(system) {
    const name = `bench_${process.pid}_${system.replaceAll('-', '_')}`
    if (this.#templates.has(name)) return name
    this.#databases.add(name)
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
    await this.admin.query(DROP(name))
    this.#databases.delete(name)
  }

  #url(database) {
    const url = new URL(this.postgres.url)
    url.pathname = `/${database}`
    return url.href
  }
}

function isInstalled(library) {
  try {
    return Boolean(import.meta.resolve(library))
  } catch {
    return false
  }
}

/** Fresh tables lack the statistics of production; without them some plans are unfairly bad. */
async function analyze({ databaseUrl }) {
  if (!databaseUrl) return
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query('analyze')
  await client.end()
}
