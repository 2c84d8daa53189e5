/**
 * The primary keys that exactly-once decisions rest on. The statements that write do not check that
 * the keys exist: without the key of the ledger two planners would decide a slot twice, and nothing
 * would show it. So every process checks them when it starts, and so does the doctor.
 */
import { PunctualError } from '@punctual/core/errors'
import type pg from 'pg'
import type { Database } from '../connection/database.ts'
import { listBrokenKeys } from '../doctor/statements.gen.ts'

/** Keys of the tables that say where a run is. */
const PLACES: Readonly<Record<string, string>> = {
  runs: 'id',
  later: 'run_id',
  queue: 'run_id',
  parked: 'run_id',
  leases: 'run_id',
  outcomes: 'run_id',
  live_keys: 'tenant_id, key',
  key_windows: 'tenant_id, key',
}
/** Keys of the tables of planning. */
const LEDGER: Readonly<Record<string, string>> = {
  slots: 'slot_at, job_id',
  cursors: 'job_id',
  job_holds: 'job_id',
}
const KEYS = { ...PLACES, ...LEDGER }
const SHOWN_MAX = 5

/** Tables and days whose key is missing or invalid; with `planning` also those of the ledger. */
export async function brokenKeys(
  client: pg.Client,
  database: Database,
  options: { planning: boolean },
): Promise<readonly string[]> {
  const tables = Object.keys(options.planning ? KEYS : PLACES)
  const rows = await database.runOn(client, listBrokenKeys(database.schema, tables))
  return rows.map(({ name }) => name)
}

export const shownKeys = (broken: readonly string[]): string =>
  broken.length > SHOWN_MAX
    ? `${broken.slice(0, SHOWN_MAX).join(', ')} and ${broken.length - SHOWN_MAX} more`
    : broken.join(', ')

/** The statements to run; the key of a day is created with the key of its table. */
export function keyRepair(schema: string, broken: readonly string[]): string {
  const tables = new Set(broken.map((name) => name.replace(/_\d{8}$/, '')))
  const steps = [...tables].map(
    (table) =>
      `alter table ${schema}.${table} drop constraint if exists ${table}_pkey, add primary key (${KEYS[table]});`,
  )
  return `Remove duplicate rows, then: ${steps.join(' ')}`
}

export async function checkKeys(
  client: pg.Client,
  database: Database,
  options: { planning: boolean },
): Promise<void> {
  const broken = await brokenKeys(client, database, options)
  if (broken.length === 0) return
  const { schema } = database
  throw new PunctualError(
    'key_missing',
    `The primary key of ${shownKeys(broken)} is missing or invalid; without it a run could be planned or executed twice. ${keyRepair(schema, broken)}`,
  )
}
