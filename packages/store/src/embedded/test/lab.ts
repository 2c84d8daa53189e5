/** Directories, servers and queries that clean up themselves, for the tests of this folder. */
import { rmSync } from 'node:fs'
import { access, chmod, constants, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import pg from 'pg'
import { afterAll, onTestFinished } from 'vitest'
import { findNativeDir } from '../binaries/native-dir.ts'
import { runCommand } from '../binaries/run-command.ts'
import type { EmbeddedOptions } from '../options/embedded-options.ts'
import type { EmbeddedServer } from '../options/embedded-server.ts'
import { startEmbedded } from '../start-embedded.ts'

export const isRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0

const quick = { fsync: 'off' }

/** A directory that is removed when the test ends. */
export async function temporaryDir(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'punctual-embedded-'))
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10 }))
  return path
}

/**
 * A directory with a cluster that the tests of one file use in turn, because creating a cluster
 * takes most of a second. Each test leaves it stopped and intact.
 */
export async function usedDataDir(): Promise<string> {
  if (!used) {
    used = await mkdtemp(join(tmpdir(), 'punctual-embedded-'))
    await (await startEmbedded({ dataDir: used, fastInit: true, settings: quick })).stop()
  }
  return used
}

let used: string | undefined
afterAll(() => {
  if (used) rmSync(used, { recursive: true })
})

/** A server that is stopped when the test ends and that flushes nothing to disk. */
export async function startForTest(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const server = await startEmbedded({ fastInit: true, settings: quick, ...options })
  onTestFinished(() => server.stop())
  return server
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql)
    return rows
  } finally {
    await client.end()
  }
}

/** A folder for PATH with a shell, but without unshare and setpriv. */
export async function bareBin(): Promise<string> {
  const folder = await temporaryDir()
  await chmod(folder, 0o755)
  await symlink(await whereIs('sh'), join(folder, 'sh'))
  return folder
}

async function whereIs(program: string): Promise<string> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, program)
    const isExecutable = access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (await isExecutable) return path
  }
  throw new Error(`${program} is not on the path`)
}

/** Uses `cp`: copying a thousand small files with Node takes seconds. */
export async function copyFolder(from: string, to: string): Promise<void> {
  const { ok, output } = await runCommand({ file: 'cp', args: ['-R', `${from}/.`, to] })
  if (!ok) throw new Error(output)
}

/** Returns the packaged binaries, or a copy if the user behind `prefix` cannot read them. */
export async function nativeDirFor(prefix: readonly string[]): Promise<string> {
  const native = findNativeDir()
  const [file = '', ...args] = [...prefix, 'test', '-x', join(native, 'bin', 'postgres')]
  if ((await runCommand({ file, args })).ok) return native
  const copy = await temporaryDir()
  await chmod(copy, 0o755)
  await copyFolder(native, copy)
  return copy
}
