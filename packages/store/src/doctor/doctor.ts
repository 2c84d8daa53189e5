/**
 * Examines a database for problems that would break or slow Punctual. It only reads, needs no
 * privileges beyond those of a worker, and works on a server where Punctual was never installed. It
 * returns findings as data. It throws only when a query fails, as after a lost connection.
 */
import { defaults, PunctualError } from '@punctual/core/errors'
import type pg from 'pg'
import type { Database } from '../connection/database.ts'
import type { ReplicaReads } from '../replica/replica-reads.ts'
import { type MigrationStatus, migrationStatus } from '../schema/migrations.ts'
import { listDays } from '../schema/partitions.ts'
import { brokenKeys } from '../schema/primary-keys.ts'
import { readRowSecurity } from '../tenants/row-security.ts'
import { clientChecks } from './client-checks.ts'
import { durabilityChecks } from './durability-checks.ts'
import type { Facts, Finding } from './finding.ts'
import {
  dayChecks,
  keyCheck,
  migrationCheck,
  privilegeCheck,
  rowSecurityCheck,
} from './schema-checks.ts'
import { serverChecks } from './server-checks.ts'
import { standbyChecks } from './standby-check.ts'
import { vacuumChecks } from './vacuum-checks.ts'

export type { Finding, Level } from './finding.ts'

const hotTables = ['queue', 'leases', 'sessions', 'live_keys', 'later', 'counters']

export interface ExamineOptions {
  /** How long history will be kept. Determines the number of partitions. @default 90 */
  readonly retentionDays?: number
  /** The read replica to check. @default none */
  readonly replica?: ReplicaReads
}

export async function examine(
  database: Database,
  options: ExamineOptions = {},
): Promise<readonly Finding[]> {
  const client = await database.connect()
  try {
    const ask = async (path: string, values: unknown[] = []) =>
      (await client.query<Facts>(database.statement(`doctor/${path}`).text, values)).rows
    const [settings] = await ask('read-settings')
    const [activity] = await ask('read-activity')
    const retentionDays = options.retentionDays ?? defaults.retentionDays
    return [
      ...serverChecks(
        settings as Facts,
        activity as Facts,
        retentionDays + defaults.partitionDaysAhead,
      ),
      ...durabilityChecks(settings as Facts),
      ...clientChecks(database),
      ...standbyChecks((await options.replica?.look()) ?? null),
      ...(await schemaFindings(client, database, ask)),
      ...vacuumChecks(activity as Facts, await ask('list-dead-rows', [database.schema, hotTables])),
    ]
  } finally {
    await client.end()
  }
}

type Ask = (path: string, values?: unknown[]) => Promise<Facts[]>

async function schemaFindings(client: pg.Client, database: Database, ask: Ask): Promise<Finding[]> {
  const { schema } = database
  const [privileges] = await ask('read-privileges', [schema])
  const privilege = privilegeCheck(schema, privileges as Facts)
  // Without privileges on the schema every further query would fail: report only the privileges.
  if (privilege.level === 'fail') return [privilege]
  const findings = [privilege]
  const status = await statusOf(client, schema)
  findings.push(migrationCheck(schema, status))
  if (status instanceof PunctualError || status.applied.length === 0) return findings
  findings.push(keyCheck(schema, await brokenKeys(client, database, { planning: true })))
  if (status.pending.length === 0)
    findings.push(rowSecurityCheck(schema, await readRowSecurity(client, database)))
  const [row] = await ask('count-detaching', [schema])
  const days = { ...(await listDays(client, schema)), detaching: Number(row?.detaching) }
  return [...findings, ...dayChecks(days, database.clock.nowMs())]
}

async function statusOf(
  client: pg.Client,
  schema: string,
): Promise<MigrationStatus | PunctualError> {
  try {
    return await migrationStatus(client, schema)
  } catch (error) {
    if (error instanceof PunctualError) return error
    throw error
  }
}
