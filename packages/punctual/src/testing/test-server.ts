/**
 * A PostgreSQL for tests that ends with this process. It does not flush to disk. Its directory is
 * removed by `stop()` or the exit hook. After kill -9 the supervisor ends the server, and the next
 * start removes the directory.
 */
import { rmSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedServer, startEmbedded } from '@punctual/store'

/** A PostgreSQL for tests that ends with this process. */
export interface TestServer {
  /** URL of one database on the server; its role may create others. */
  readonly url: string
  /** Stops the server and removes its files. Idempotent. */
  stop(): Promise<void>
}

const PREFIX = 'punctual-throwaway-'
/**
 * The environment variable with the URL of a server that `startTestPunctual` uses instead of its
 * own.
 */
export const SERVER_VARIABLE = 'PUNCTUAL_TEST_DATABASE_URL'
const settings = {
  ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  ...{ max_connections: '400', shared_buffers: '64MB' },
}

/** Starts a server for several processes: set PUNCTUAL_TEST_DATABASE_URL to its URL in them. */
export async function startTestServer(): Promise<TestServer> {
  await sweep()
  const dataDir = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
  let server: EmbeddedServer | undefined
  const endNow = () => {
    try {
      if (server?.pid !== undefined) process.kill(server.pid, 'SIGQUIT')
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // The process is ending; the next start removes the directory.
    }
  }
  const stop = async () => {
    await server?.stop()
    process.off('exit', endNow)
    await rm(dataDir, { recursive: true, force: true })
  }
  process.once('exit', endNow)
  try {
    server = await startEmbedded({ dataDir, fastInit: true, settings })
    return { url: server.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Removes the directories of processes that no longer run. */
async function sweep(): Promise<void> {
  const names = await readdir(tmpdir())
  for (const name of names.filter((entry) => entry.startsWith(PREFIX)))
    if (!isRunning(Number.parseInt(name.slice(PREFIX.length), 10)))
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

interface Shared {
  users: number
  readonly server: Promise<TestServer>
}

/**
 * Test runners load this module once per file, even within one process: the symbol lets them share
 * the server.
 */
const PLACE = Symbol.for('punctual.testing.server')
const place = globalThis as { [PLACE]?: Shared | undefined }

/** The server that all tests of this process share; it stops when its last user has returned it. */
export async function borrowServer(): Promise<TestServer> {
  place[PLACE] ??= { users: 0, server: startTestServer() }
  const shared = place[PLACE]
  shared.users++
  const giveBack = async () => {
    if (--shared.users > 0) return
    if (place[PLACE] === shared) place[PLACE] = undefined
    await (await shared.server).stop()
  }
  try {
    const { url } = await shared.server
    let given: Promise<void> | undefined
    return {
      url,
      stop() {
        given ??= giveBack()
        return given
      },
    }
  } catch (error) {
    place[PLACE] = undefined
    throw error
  }
}
