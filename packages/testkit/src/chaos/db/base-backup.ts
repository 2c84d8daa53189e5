/**
 * Copies a running cluster so that the copy can follow it as a standby, using the server's backup
 * functions: `pg_basebackup` is not among the packaged programs. It skips the files of the running
 * process and those that the PostgreSQL manual leaves out of a backup; the log comes by streaming.
 */
import { chmod, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'

/** Folders whose content is meaningless to another process. */
const EMPTIED = new Set([
  ...['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots'],
  ...['pg_stat_tmp', 'pg_subtrans'],
])
const LEFT_OUT = /^(?:postmaster\.(?:pid|opts)|backup_label.*|tablespace_map.*|standby\.signal)$/

export async function copyCluster(url: string, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('chaos', true)`)
    await copyFolder(from, to, true)
    const { rows } = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(false)',
    )
    await writeFile(join(to, 'backup_label'), rows[0]?.labelfile ?? '', { mode: 0o600 })
    await writeFile(join(to, 'standby.signal'), '', { mode: 0o600 })
  } finally {
    await client.end()
  }
}

async function copyFolder(from: string, to: string, isRoot: boolean): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  await chmod(to, 0o700)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (isRoot && LEFT_OUT.test(entry.name)) continue
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (isRoot && EMPTIED.has(entry.name)) await mkdir(target, { mode: 0o700 })
    else if (entry.isDirectory()) await copyFolder(source, target, false)
    else if (entry.isFile()) await copyFile(source, target).catch(passOverVanished)
  }
}

/** Files appear and vanish under a running server; the log contains their changes. */
function passOverVanished(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
