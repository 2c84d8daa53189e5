/**
 * The URL of an embedded server that another process owns. Its owner leaves port and password in the data
 * directory; while it is still starting it does not answer, so this waits for it.
 */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PunctualError } from '@punctual/core'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'

const STARTING_MAX_MS = 30_000
const POLL_MS = 200

export async function sharedEmbeddedUrl(dataDir: string, signal: AbortSignal): Promise<string> {
  const deadlineMs = systemClock.monotonicMs() + STARTING_MAX_MS
  for (;;) {
    const url = await readUrl(dataDir)
    const problem =
      url === null ? new Error('it has left no port and password yet') : await visit(url)
    if (url !== null && problem === null) return url
    signal.throwIfAborted()
    if (systemClock.monotonicMs() > deadlineMs)
      throw new PunctualError(
        'database_unavailable',
        `The embedded PostgreSQL in ${dataDir} belongs to another process and does not answer: ${problem?.message}`,
        { cause: problem },
      )
    await systemClock.sleep(POLL_MS, signal)
  }
}

async function readUrl(dataDir: string): Promise<string | null> {
  const read = (name: string) => readFile(join(dataDir, name), 'utf8').then((text) => text.trim())
  const [port, password] = await Promise.all([read('port'), read('password')]).catch(() => [])
  return port && password ? `postgres://punctual:${password}@127.0.0.1:${port}/punctual` : null
}

async function visit(url: string): Promise<Error | null> {
  const ports = { clock: systemClock, random: systemRandom, node: randomUUID() }
  const store = new PostgresStore({ url, ...ports })
  try {
    const client = await store.database.connect()
    await client.end()
    return null
  } catch (error) {
    return error as Error
  } finally {
    await store.close()
  }
}
