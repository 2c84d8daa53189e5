/** Reads the facts that decide which guarantees hold, as seen from this process. */
import { invariant } from '@punctual/core/errors'
import type { GuaranteeFacts, ReadStandbyFacts } from '@punctual/core/ports'
import type pg from 'pg'
import type { Database } from '../connection/database.ts'
import { isForbidden, isMissingFunction, isMissingSchema } from '../connection/faults.ts'
import type { ReplicaReads } from '../replica/replica-reads.ts'
import { zoneData } from '../schema/zone-data.ts'
import { readRowSecurity } from '../tenants/row-security.ts'
import { freeConnections } from './server-checks.ts'
import {
  listStandbys,
  listZoneData,
  type ReadSettingsRow,
  readActivity,
  readSettings,
} from './statements.gen.ts'

/** Only reads; works on a server where Punctual was never installed. */
export async function readGuaranteeFacts(
  database: Database,
  replica?: ReplicaReads,
): Promise<GuaranteeFacts> {
  const client = await database.connect()
  try {
    const [settings] = await database.runOn(client, readSettings())
    const [activity] = await database.runOn(client, readActivity())
    invariant(settings && activity, 'settings and activity are one row each')
    const standbys = await database.runOn(client, listStandbys())
    return {
      ...settingFacts(settings),
      standbys: standbys.map((standby) => ({ ...standby, name: standby.name ?? '' })),
      connectionsFree: freeConnections(settings, activity).free,
      pooled: database.pooled,
      clockOffsetMs: Math.round(database.clock.skewMs),
      zoneData,
      plannerZoneData: await plannerZoneData(client, database),
      rowSecurity: await rowSecurity(client, database),
      readStandby: await readStandby(replica),
    }
  } finally {
    await client.end()
  }
}

/** Null when no read replica is configured: the primary serves all reads. */
async function readStandby(replica: ReplicaReads | undefined): Promise<ReadStandbyFacts | null> {
  const allowedMs = replica?.lagMs ?? null
  const state = await replica?.look()
  if (allowedMs === null || !state) return null
  if (!state.used) return { allowedMs, lagMs: null, skippedBecause: state.why }
  return { allowedMs, lagMs: Math.round(state.lagMs), skippedBecause: null }
}

function settingFacts(settings: ReadSettingsRow) {
  return {
    version: settings.version,
    timeline: String(Number.parseInt(settings.timeline ?? '0', 16)),
    startedAt: settings.startedAt,
    readOnly: settings.readOnly === 'on',
    fsync: settings.fsync === 'on',
    fullPageWrites: settings.fullPageWrites === 'on',
    dataChecksums: settings.dataChecksums === 'on',
    synchronousCommit: settings.synchronousCommit,
    synchronousStandbyNames: settings.standbyNames,
  }
}

/** Null when the schema is missing, is older than row security, or is closed to this role. */
async function rowSecurity(client: pg.Client, database: Database) {
  try {
    return (await readRowSecurity(client, database)).state
  } catch (error) {
    if (isMissingSchema(error) || isMissingFunction(error) || isForbidden(error)) return null
    throw error
  }
}

/** Null when the schema is missing or closed to this role. */
async function plannerZoneData(
  client: pg.Client,
  database: Database,
): Promise<readonly string[] | null> {
  try {
    const rows = await database.runOn(client, listZoneData())
    return rows.map(({ zoneData }) => zoneData)
  } catch (error) {
    if (isMissingSchema(error) || isForbidden(error)) return null
    throw error
  }
}
