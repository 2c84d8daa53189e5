/**
 * Finds the embedded server that another process on this machine owns. The port comes from the
 * cluster, the password from the data directory. A server that is still starting does not answer:
 * this waits for it.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { PunctualError } from '@punctual/core/errors'
import pg from 'pg'
import { clusterExists } from './cluster.ts'
import { type DataDir, dataDirAt } from './data-directory/data-dir.ts'
import { describeCause } from './data-directory/embedded-error.ts'
import { serverUrl } from './launch.ts'
import { readPassword } from './password.ts'
import { databaseName } from './readiness.ts'

const pollMs = 200
/** In PostgreSQL's postmaster.pid: process id, directory, start time, port, and more. */
const portLine = 3

export interface AttachOptions {
  readonly signal?: AbortSignal
  /** How long to wait for an answer. @default 30_000 */
  readonly deadlineMs?: number
}

/** Returns the URL of a server that has just answered; fails with `database_unavailable`. */
export async function attachEmbedded(path: string, options: AttachOptions = {}): Promise<string> {
  const { signal = new AbortController().signal, deadlineMs = 30_000 } = options
  const dataDir = dataDirAt(path)
  const endAt = performance.now() + deadlineMs
  for (;;) {
    signal.throwIfAborted()
    const url = await urlOf(dataDir)
    const problem = url === null ? new Error('its port or password is unknown') : await visit(url)
    if (url !== null && problem === null) return url
    if (performance.now() >= endAt)
      throw new PunctualError(
        'database_unavailable',
        `The embedded PostgreSQL in ${path} is owned by another process and does not answer: ${describeCause(problem)}`,
        { cause: problem },
      )
    await delay(pollMs, undefined, { signal })
  }
}

/** Whether the directory contains a database, running or not. */
export function isEmbeddedDataDir(path: string): Promise<boolean> {
  return clusterExists(dataDirAt(path))
}

async function urlOf(dataDir: DataDir): Promise<string | null> {
  const running = await readFile(dataDir.postmasterFile, 'utf8').catch(() => '')
  const port = Number(running.split('\n')[portLine])
  const password = await readPassword(dataDir)
  return port > 0 && password ? serverUrl(password, port, databaseName) : null
}

async function visit(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return null
  } catch (error) {
    return error
  } finally {
    await client.end().catch(() => {})
  }
}
