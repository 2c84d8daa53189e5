/**
 * The private servers of a bench run: PostgreSQL with durable commits and Redis with an append-only
 * file, each on its own port and in its own temporary directory. Only this file knows their origin;
 * `--database-url` and `--redis-url` replace them.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pg from 'pg'

/** The product's embedded server, the only part of the product that the bench itself uses. */
const EMBEDDED = new URL('../../packages/store/dist/embedded/index.js', import.meta.url)

/**
 * The same for every system, in addition to the embedded defaults. Memory and log space are large
 * enough that no measurement meets a checkpoint, the creation of log files or a sort on disk;
 * autovacuum keeps PostgreSQL's defaults, so that no system runs under a setting tuned for another.
 */
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '512MB',
  work_mem: '64MB',
  min_wal_size: '4GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '30min',
  max_connections: '400',
  autovacuum_naptime: '1min',
  autovacuum_vacuum_scale_factor: '0.2',
  autovacuum_analyze_scale_factor: '0.1',
  shared_preload_libraries: 'pg_stat_statements',
}

/**
 * A server that has been up for a while reuses its log files. A new one creates each file, 16 MB of
 * zeros and a sync, which blocks commits for about 60 ms: so this many are created beforehand.
 */
const LOG_FILES = 128
const MAKE_LOG_FILES = `do $$ begin
  for i in 1..${LOG_FILES} loop
    perform pg_logical_emit_message(false, 'bench', 'x');
    perform pg_switch_wal();
  end loop;
end $$`

/** @typedef {{ url: string, pid?: number, stop?: () => Promise<void> }} Server  `pid` where its CPU is readable */

/** @param {AbortSignal} signal cancels the start @param {object} more  settings @returns {Promise<Server>} */
export async function startPostgres(signal, more = {}) {
  const { startEmbedded } = await import(EMBEDDED.href)
  const dataDir = mkdtempSync(join(tmpdir(), 'punctual-bench-pg-'))
  const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  try {
    // Its data is discarded, so no shutdown checkpoint is needed.
    const settings = { ...SETTINGS, ...more }
    const how = { restart: false, settings, stopDeadlineMs: 0, signal }
    const server = await startEmbedded({ dataDir, ...how })
    await makeLogFiles(server.url).catch((error) => server.stop().then(() => Promise.reject(error)))
    return { url: server.url, pid: server.pid, stop: () => server.stop().then(remove) }
  } catch (error) {
    remove()
    throw error
  }
}

/** A checkpoint then renames the files for future log. */
async function makeLogFiles(url) {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(MAKE_LOG_FILES)
  await client.query('checkpoint')
  await client.end()
}

/**
 * Redis writes every command to its append-only file and syncs it once a second: a crash may lose a
 * second of accepted jobs, where PostgreSQL above loses none. BullMQ's guide recommends this.
 * @returns {Promise<Server | undefined>} undefined when redis-server is not on the PATH
 */
export async function startRedis() {
  if (spawnSync('redis-server', ['--version']).status !== 0) return undefined
  const dir = mkdtempSync(join(tmpdir(), 'punctual-bench-redis-'))
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '']
  args.push('--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction')
  const server = spawnBound('redis-server', args)
  // Ctrl-C reaches the whole process group, so the server may already have ended.
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const url = `redis://127.0.0.1:${port}`
  await answering(server, url)
  const stop = async () => {
    server.kill('SIGKILL')
    await ended
    rmSync(dir, { recursive: true, force: true })
  }
  return { url, pid: server.pid, stop }
}

/**
 * Where the system supports it, the server ends with the bench even when that is killed outright.
 */
function spawnBound(command, args) {
  const bound = spawnSync('setpriv', ['--pdeathsig', 'SIGTERM', 'true']).status === 0
  return bound
    ? spawn('setpriv', ['--pdeathsig', 'SIGTERM', command, ...args], { stdio: 'ignore' })
    : spawn(command, args, { stdio: 'ignore' })
}

/** @param {string} url */
export async function flushRedis(url) {
  const redis = new Redis(url)
  await redis.flushall()
  redis.disconnect()
}

async function answering(server, url) {
  const redis = new Redis(url, { retryStrategy: () => 50 })
  redis.on('error', () => {})
  const answered = redis.ping().then(() => true)
  const late = sleep(10_000, false, { ref: false })
  const ok = await Promise.race([answered, late]).catch(() => false)
  redis.disconnect()
  if (ok) return
  server.kill('SIGKILL')
  throw new Error('redis-server did not answer within 10 s')
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address())
      probe.close(() => resolve(port))
    })
  })
}
