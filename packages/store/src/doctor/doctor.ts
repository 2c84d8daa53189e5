/**
 * Examines a database for problems that would break or slow Punctual. It only reads, needs no
 * privileges beyond those of a worker, and works on a server where Punctual was never installed. It
 * returns findings as data. It throws only when a query fails, as after a lost connection.
 */
import { defaults, invariant, PunctualError } from '@punctual/core/errors'
import type pg from 'pg'
import type { Database } from '../connection/database.ts'
import type { ReplicaReads } from '../replica/replica-reads.ts'
import { type MigrationStatus, migrationStatus } from '../schema/migrations.ts'
import { listDays } from '../schema/partitions.ts'
import { brokenKeys } from '../schema/primary-keys.ts'
import { readRowSecurity } from '../tenants/row-security.ts'
import { clientChecks } from './client-checks.ts'
import { durabilityChecks } from './durability-checks.ts'
import type { Finding } from './finding.ts'
import {
  dayChecks,
  keyCheck,
  migrationCheck,
  privilegeCheck,
  rowSecurityCheck,
} from './schema-checks.ts'
import { serverChecks } from './server-checks.ts'
import { standbyChecks } from './standby-check.ts'
import {
  countDetaching,
  listDeadRows,
  readActivity,
  readPrivileges,
  readSettings,
} from './statements.gen.ts'
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
    const [settings] = await database.runOn(client, readSettings())
    const [activity] = await database.runOn(client, readActivity())
    invariant(settings && activity, 'settings and activity are one row each')
    const deadRows = await database.runOn(client, listDeadRows(database.schema, hotTables))
    const retentionDays = options.retentionDays ?? defaults.retentionDays
    return [
      ...serverChecks(settings, activity, retentionDays + defaults.partitionDaysAhead),
      ...durabilityChecks(settings),
      ...clientChecks(database),
      ...standbyChecks((await options.replica?.look()) ?? null),
      ...(await schemaFindings(client, database)),
      ...vacuumChecks(activity, deadRows),
    ]
  } finally {
    await client.end()
  }
}

async function schemaFindings(client: pg.Client, database: Database): Promise<Finding[]> {
  const { schema } = database
  const [privileges] = await database.runOn(client, readPrivileges(schema))
  invariant(privileges, 'the privileges are one row')
  const privilege = privilegeCheck(schema, privileges)
  // Without privileges on the schema every further query would fail: report only the privileges.
  if (privilege.level === 'fail') return [privilege]
  const findings = [privilege]
  const status = await statusOf(client, schema)
  findings.push(migrationCheck(schema, status))
  if (status instanceof PunctualError || status.applied.length === 0) return findings
  findings.push(keyCheck(schema, await brokenKeys(client, database, { planning: true })))
  if (status.pending.length === 0) {
    const state = await readRowSecurity((call) => database.runOn(client, call), schema)
    findings.push(rowSecurityCheck(schema, state))
  }
  const [row] = await database.runOn(client, countDetaching(schema))
  const days = { ...(await listDays(client, schema)), detaching: row?.detaching ?? 0 }
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
