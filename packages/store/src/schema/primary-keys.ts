/**
 * The primary keys that "once" stands on. The statements that write do not ask whether they are there: without the key
 * of the ledger two planners would decide a slot twice, and nothing would tell. So it is looked at when a process starts,
 * and by the doctor.
 */
import { PunctualError } from '@punctual/core/errors'
import type pg from 'pg'
import type { Database } from '../connection/database.ts'

/** Of where a run is, by table. */
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
/** Of what is planned. */
const LEDGER: Readonly<Record<string, string>> = {
  slots: 'slot_at, job_id',
  cursors: 'job_id',
  job_holds: 'job_id',
}
const KEYS = { ...PLACES, ...LEDGER }
const SHOWN_MAX = 5

/** Tables and days whose key is missing or invalid; of the ledger too when somebody plans. */
export async function brokenKeys(
  client: pg.Client,
  database: Database,
  options: { planning: boolean },
): Promise<readonly string[]> {
  const tables = Object.keys(options.planning ? KEYS : PLACES)
  const { text } = database.statement('doctor/list-broken-keys')
  const { rows } = await client.query<{ name: string }>(text, [database.schema, tables])
  return rows.map(({ name }) => name)
}

export const shownKeys = (broken: readonly string[]): string =>
  broken.length > SHOWN_MAX
    ? `${broken.slice(0, SHOWN_MAX).join(', ')} and ${broken.length - SHOWN_MAX} more`
    : broken.join(', ')

/** What to run; the key of a day is made with that of its table. */
export function keyRepair(schema: string, broken: readonly string[]): string {
  const tables = new Set(broken.map((name) => name.replace(/_\d{8}$/, '')))
  const steps = [...tables].map(
    (table) =>
      `alter table ${schema}.${table} drop constraint if exists ${table}_pkey, add primary key (${KEYS[table]});`,
  )
  return `Remove rows that are there twice, then: ${steps.join(' ')}`
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
    `The primary key of ${shownKeys(broken)} is missing or invalid, and without it something could happen twice. ${keyRepair(schema, broken)}`,
  )
}
