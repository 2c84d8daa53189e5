/** What the tests of this folder share: directories, servers and queries that clean up themselves. */
import { access, chmod, constants, cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import pg from 'pg'
import { afterAll, onTestFinished } from 'vitest'
import type { EmbeddedOptions } from '../embedded-options.ts'
import type { EmbeddedServer } from '../embedded-server.ts'
import { findNativeDir } from '../native-dir.ts'
import { runCommand } from '../run-command.ts'
import { startEmbedded } from '../start-embedded.ts'

export const isRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0

/** A directory that is removed when the test ends. */
export async function temporaryDir(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'punctual-embedded-'))
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10 }))
  return path
}

/** A directory with a cluster in it, for tests that are not about making one: a copy is quicker. */
export async function readyDataDir(): Promise<string> {
  template ??= makeTemplate()
  const dataDir = await temporaryDir()
  await cp(await template, dataDir, { recursive: true, verbatimSymlinks: true })
  return dataDir
}

let template: Promise<string> | undefined
afterAll(async () => {
  if (template) await rm(await template, { recursive: true, force: true })
})

async function makeTemplate(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'punctual-embedded-'))
  await (await startEmbedded({ dataDir: path, fastInit: true })).stop()
  // A copy is nobody's yet, and must not insist on the port of every other copy.
  await rm(join(path, 'owner.1.json'))
  await rm(join(path, 'port'))
  return path
}

/** A server that is stopped when the test ends, on a cluster that was not flushed to disk. */
export async function startForTest(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const server = await startEmbedded({ fastInit: true, ...options })
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

/** A folder for PATH with the programs every system has, and without unshare and setpriv. */
export async function bareBin(): Promise<string> {
  const folder = await temporaryDir()
  await chmod(folder, 0o755)
  for (const program of ['sh', 'id']) await symlink(await whereIs(program), join(folder, program))
  return folder
}

async function whereIs(program: string): Promise<string> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, program)
    const isThere = access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (await isThere) return path
  }
  throw new Error(`${program} is not on the path`)
}

/** The packaged binaries, or a copy of them where the user behind `prefix` cannot reach those. */
export async function nativeDirFor(prefix: readonly string[]): Promise<string> {
  const native = findNativeDir()
  const [file = '', ...args] = [...prefix, 'test', '-x', join(native, 'bin', 'postgres')]
  if ((await runCommand({ file, args })).ok) return native
  const copy = await temporaryDir()
  await chmod(copy, 0o755)
  await cp(native, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}
