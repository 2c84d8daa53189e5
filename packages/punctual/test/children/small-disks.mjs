/**
 * A PostgreSQL with two small private disks, in a mount namespace that ends with this process: one
 * for the log, one for a tablespace. Prints `ready <url>`; then reads the lines `fill log|tables`,
 * `free log|tables` and `stop`, and answers each with `done`.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startEmbedded } from '@punctual/store'
import pg from 'pg'

const root = process.argv[2]
const disks = { log: join(root, 'log'), tables: join(root, 'tables') }
const SIZES = { log: '80m', tables: '256m' }
const ballast = (disk) => join(disks[disk], 'ballast')
const say = (line) => process.stdout.write(`${line}\n`)

for (const [name, folder] of Object.entries(disks)) {
  mkdirSync(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZES[name]}`, 'none', folder])
}
for (const folder of [join(disks.log, 'wal'), join(disks.tables, 'space')]) {
  mkdirSync(folder)
  chmodSync(folder, 0o700)
}

const settings = {
  ...{ shared_buffers: '32MB', max_connections: '40', min_wal_size: '32MB' },
  ...{ max_wal_size: '48MB', wal_recycle: 'off' },
}
const options = { dataDir: join(root, 'data'), fastInit: true, settings }
await (await startEmbedded(options)).stop()
const wal = join(root, 'data', 'cluster', 'pg_wal')
cpSync(wal, join(disks.log, 'wal'), { recursive: true })
rmSync(wal, { recursive: true })
symlinkSync(join(disks.log, 'wal'), wal)
const server = await startEmbedded(options)

/** Fills the disk to the last byte. */
function fill(disk) {
  const file = openSync(ballast(disk), 'w')
  for (let size = 1 << 20; size >= 1; )
    try {
      writeSync(file, Buffer.alloc(size))
    } catch (error) {
      if (error.code !== 'ENOSPC') throw error
      size >>= 1
    }
  closeSync(file)
}

const acts = {
  fill,
  free: (disk) => rmSync(ballast(disk)),
  stop: async () => {
    await server.stop()
    process.exit(0)
  },
}
createInterface({ input: process.stdin }).on('line', async (line) => {
  const [act, disk] = line.split(' ')
  await acts[act](disk)
  say('done')
})
process.stdin.once('end', acts.stop)
const client = new pg.Client({ connectionString: server.url })
await client.connect()
await client.query(`create tablespace small location '${join(disks.tables, 'space')}'`)
await client.query('create database small tablespace small')
await client.end()
const url = new URL(server.url)
url.pathname = '/small'
say(`ready ${url.href}`)
