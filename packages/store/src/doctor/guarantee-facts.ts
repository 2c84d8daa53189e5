/** Reads the facts that decide which guarantees hold, as seen from this process. */
import type { GuaranteeFacts, ReadStandbyFacts } from '@punctual/core/ports'
import type pg from 'pg'
import type { Database } from '../connection/database.ts'
import { isMissingSchema } from '../connection/faults.ts'
import type { ReplicaReads } from '../replica/replica-reads.ts'
import { zoneData } from '../schema/zone-data.ts'
import { readRowSecurity } from '../tenants/row-security.ts'
import type { Facts } from './finding.ts'
import { freeConnections } from './server-checks.ts'

type Ask = (path: string) => Promise<Facts[]>

/** Only reads; works on a server where Punctual was never installed. */
export async function readGuaranteeFacts(
  database: Database,
  replica?: ReplicaReads,
): Promise<GuaranteeFacts> {
  const client = await database.connect()
  try {
    const ask: Ask = async (path) =>
      (await client.query<Facts>(database.statement(`doctor/${path}`).text)).rows
    const [settings] = (await ask('read-settings')) as [Facts]
    const [activity] = (await ask('read-activity')) as [Facts]
    const standbys = await ask('list-standbys')
    return {
      ...settingFacts(settings),
      standbys: standbys.map(({ name, state, sync_state }) => ({
        ...{ name: name ?? '', state: state ?? null, syncState: sync_state ?? null },
      })),
      connectionsFree: freeConnections(settings, activity).free,
      pooled: database.pooled,
      clockOffsetMs: Math.round(database.clock.skewMs),
      zoneData,
      plannerZoneData: await plannerZoneData(ask),
      rowSecurity: await rowSecurity(client, database),
      readStandby: await readStandby(replica),
    }
  } finally {
    await client.end()
  }
}

/** Null when no read replica is configured: the primary serves all reads. */
async function readStandby(replica: ReplicaReads | undefined): Promise<ReadStandbyFacts | null> {
  const state = await replica?.look()
  if (!replica || !state) return null
  const allowedMs = replica.lagMs as number
  if (!state.used) return { allowedMs, lagMs: null, skippedBecause: state.why }
  return { allowedMs, lagMs: Math.round(state.lagMs), skippedBecause: null }
}

function settingFacts(settings: Facts) {
  return {
    version: settings.version as string,
    timeline: String(Number.parseInt(settings.timeline ?? '0', 16)),
    startedAt: new Date(settings.started_at as string),
    readOnly: settings.read_only === 'on',
    fsync: settings.fsync === 'on',
    fullPageWrites: settings.full_page_writes === 'on',
    dataChecksums: settings.data_checksums === 'on',
    synchronousCommit: settings.synchronous_commit as string,
    synchronousStandbyNames: settings.standby_names as string,
  }
}

/** undefined_function, insufficient_privilege, invalid_schema_name. */
const UNAVAILABLE = new Set(['42883', '42501', '3F000'])

/** Null when the schema is missing, is older than row security, or is closed to this role. */
async function rowSecurity(client: pg.Client, database: Database) {
  try {
    return await readRowSecurity(client, database)
  } catch (error) {
    if (UNAVAILABLE.has((error as { code?: string }).code ?? '')) return null
    throw error
  }
}

/** Null when the schema is missing or closed to this role. */
async function plannerZoneData(ask: Ask): Promise<readonly string[] | null> {
  try {
    return (await ask('list-zone-data')).map((row) => row.zone_data as string)
  } catch (error) {
    if (isMissingSchema(error) || (error as { code?: string }).code === '42501') return null
    throw error
  }
}
