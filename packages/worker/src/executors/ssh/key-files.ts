/**
 * The files that the client needs for one connection: the private key and the keys of the host. They
 * are in memory where the system has a file system there, and are removed when the client has
 * logged in.
 */
import { chmodSync, existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning, startOf } from '../shell/processes.ts'

const IN_MEMORY = '/dev/shm'
const PREFIX = 'punctual-ssh-'
const OWNER = /^punctual-ssh-(\d+)-(\d+)-/

export interface KeyFiles {
  readonly key: string
  readonly knownHosts: string
  /** Removes the files. Idempotent. */
  remove(): Promise<void>
}

function base(): string {
  return existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir()
}

export async function writeKeyFiles(key: string, knownHosts: string): Promise<KeyFiles> {
  const owner = `${PREFIX}${process.pid}-${startOf(process.pid)}-`
  const folder = await mkdtemp(join(base(), owner))
  chmodSync(folder, 0o700)
  const files = { key: join(folder, 'key'), knownHosts: join(folder, 'known_hosts') }
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    // The client refuses a key whose last line does not end.
    await writeFile(files.key, `${key.trimEnd()}\n`, { mode: 0o600 })
    await writeFile(files.knownHosts, `${knownHosts.trimEnd()}\n`, { mode: 0o600 })
  } catch (error) {
    await remove()
    throw error
  }
  return { ...files, remove }
}

/** Removes the files of workers that were killed. */
export async function removeLeftKeys(): Promise<void> {
  for (const name of await readdir(base())) {
    const [, pid = '', startedAt = ''] = OWNER.exec(name) ?? []
    if (pid === '' || isRunning(Number(pid), startedAt)) continue
    // The files of another user stay.
    await rm(join(base(), name), { recursive: true, force: true }).catch(() => undefined)
  }
}
