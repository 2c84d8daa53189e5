/**
 * What `migrate` would run, for those who run it themselves: the migrations that are missing, and the days of
 * history without which nothing can be submitted.
 */
import { defaults } from '@punctual/core/errors'
import type pg from 'pg'
import { dayName } from '../connection/day-names.ts'
import { migrationScript, migrationStatus } from './migrations.ts'
import { daysScript, listDays } from './partitions.ts'

export interface InstallScript {
  /** The newest migration that is applied already; 0 when there is none. */
  readonly after: number
  /** Empty when nothing is missing. */
  readonly sql: string
}

/** Of all that there is on an empty schema, or of what the schema that the client sees lacks. */
export async function installScript(
  schema: string,
  nowMs: number,
  client: pg.Client | null,
): Promise<InstallScript> {
  const applied = client ? (await migrationStatus(client, schema)).applied : []
  const { complete } = client ? await listDays(client, schema) : { complete: [] }
  const after = Math.max(0, ...applied)
  const days = daysScript(schema, complete, nowMs, defaults.partitionDaysAhead)
  const sql = [migrationScript(schema, after), days && `${about(nowMs)}\n\n${days}`]
  return { after, sql: sql.filter(Boolean).join('\n\n') }
}

function about(nowMs: number): string {
  return [
    `-- The days of history, as they are missing on ${dayName(nowMs)}: print this again when you run it another day.`,
    '-- From then on a node with the janitor role makes each day ahead of time.',
  ].join('\n')
}
