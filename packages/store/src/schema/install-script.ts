/**
 * Prints what `migrate` would run, for operators who run it themselves: the missing migrations, and
 * the days of history without which nothing can be submitted.
 */
import { defaults } from '@punctual/core/errors'
import type pg from 'pg'
import { dayName } from '../connection/day-names.ts'
import { migrationScript, migrationStatus } from './migrations.ts'
import { daysScript, listDays } from './partitions.ts'

export interface InstallScript {
  /** The newest migration that is already applied; 0 when there is none. */
  readonly after: number
  /** Empty when nothing is missing. */
  readonly sql: string
}

/** The script for an empty schema, or for what the schema that the client sees is missing. */
export async function installScript(
  schema: string,
  nowMs: number,
  client: pg.Client | null,
): Promise<InstallScript> {
  const applied = client ? (await migrationStatus(client, schema)).applied : []
  const { complete } = client ? await listDays(client, schema) : { complete: [] }
  const after = Math.max(0, ...applied)
  const days = daysScript(schema, complete, nowMs, defaults.partitionDaysAhead)
  const sql = [migrationScript(schema, after), days && `${daysHeader(nowMs)}\n\n${days}`]
  return { after, sql: sql.filter(Boolean).join('\n\n') }
}

function daysHeader(nowMs: number): string {
  return [
    `-- The days of history that are missing on ${dayName(nowMs)}: print this script again to run it on another day.`,
    '-- Afterwards a node with the janitor role creates each day ahead of time.',
  ].join('\n')
}
