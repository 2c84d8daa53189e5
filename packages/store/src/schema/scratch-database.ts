/** A database for one test, created on a server where this role may, and dropped with force. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { asUnavailable } from '../connection/faults.ts'

export interface ScratchDatabase {
  readonly url: string
  /** Ends the remaining sessions and drops the database. Idempotent. */
  drop(): Promise<void>
}

export async function createScratchDatabase(serverUrl: string): Promise<ScratchDatabase> {
  const name = `punctual_test_${randomBytes(8).toString('hex')}`
  await asAdmin(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    drop: () => asAdmin(serverUrl, `drop database if exists ${name} with (force)`),
  }
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url })
  admin.on('error', () => undefined)
  try {
    await admin.connect()
    await admin.query(statement)
  } catch (error) {
    throw asUnavailable(error)
  } finally {
    await admin.end().catch(() => undefined)
  }
}
