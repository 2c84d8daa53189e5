/**
 * Waits until a starting server answers a query, and creates Punctual's database if it is missing.
 * A server that is silent for too long has failed. A server that answers "starting up" is
 * recovering from a crash, which takes as long as replaying its log; ending it would only make it
 * start over, so it gets far more time.
 */
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describeCause, systemErrorCode } from './data-directory/embedded-error.ts'
import type { Postmaster } from './postmaster.ts'

export const databaseName = 'punctual'

const recoveryDeadlineMs = 30 * 60_000
/** Each poll leaves a line in the log of a starting server, so polls become rarer. */
const pollMinMs = 10
const pollMaxMs = 250
/** After this many refusals in a row, the password differs from the one in the file. */
const loginRefusalsMax = 5

const startingUp = '57P03'
const wrongPassword = '28P01'

export type Readiness =
  | { readonly state: 'ready' }
  | { readonly state: 'exited' }
  | { readonly state: 'failed'; readonly reason: string }

export interface ReadinessOptions {
  /** A URL of the database `postgres`, which every cluster has. */
  readonly url: string
  readonly silenceMaxMs: number
  readonly signal: AbortSignal
}

export async function waitUntilReady(
  postmaster: Postmaster,
  { url, silenceMaxMs, signal }: ReadinessOptions,
): Promise<Readiness> {
  const startedAt = performance.now()
  let lastSignAt = startedAt
  let loginRefusals = 0
  for (;;) {
    if (postmaster.hasExited) return { state: 'exited' }
    const error = await visit(url)
    if (error === undefined) return { state: 'ready' }
    const code = systemErrorCode(error)
    if (code === startingUp) lastSignAt = performance.now()
    loginRefusals = code === wrongPassword ? loginRefusals + 1 : 0
    if (loginRefusals >= loginRefusalsMax) {
      return { state: 'failed', reason: 'it rejects the stored password; delete the password file' }
    }
    const now = performance.now()
    if (now - lastSignAt > silenceMaxMs || now - startedAt > recoveryDeadlineMs) {
      const waitedS = Math.round((now - startedAt) / 1000)
      return { state: 'failed', reason: `no answer in ${waitedS} s (${describeCause(error)})` }
    }
    const pollMs = Math.min(pollMinMs + (now - startedAt) / 20, pollMaxMs)
    await delay(pollMs, undefined, { signal })
  }
}

/** Returns the error, or undefined when the server answered and has the database. */
async function visit(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const found = await client.query('select 1 from pg_database where datname = $1', [databaseName])
    if (found.rowCount === 0) await client.query(`create database ${databaseName}`)
    return undefined
  } catch (error) {
    return error
  } finally {
    await client.end().catch(() => {})
  }
}
