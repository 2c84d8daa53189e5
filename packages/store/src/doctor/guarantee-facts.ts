/** Reads the facts that decide which guarantees hold, as seen from this process. */
import { invariant } from '@punctual/core/errors'
import type { GuaranteeFacts, ReadStandbyFacts } from '@punctual/core/ports'
import type { Database } from '../connection/database.ts'
import { isForbidden, isMissingFunction, isMissingSchema } from '../connection/faults.ts'
import type { ReplicaReads } from '../replica/replica-reads.ts'
import { zoneData } from '../schema/zone-data.ts'
import type { Call } from '../sql/typed.ts'
import { readRowSecurity } from '../tenants/row-security.ts'
import { freeConnections } from './server-checks.ts'
import {
  listStandbys,
  listZoneData,
  type ReadSettingsRow,
  readActivity,
  readSettings,
} from './statements.gen.ts'

type Run = <Row>(call: Call<Row>) => Promise<Row[]>

/**
 * Only reads; works on a server where Punctual was never installed. Uses a connection for reports:
 * a request must not open one that no pool counts. The facts are those of the installation, so the
 * row security of a caller does not apply.
 */
export function readGuaranteeFacts(
  database: Database,
  replica?: ReplicaReads,
): Promise<GuaranteeFacts> {
  const channel = database.browse
  return database.ambient.outside(() => factsOf(database, (call) => channel.run(call), replica))
}

async function factsOf(
  database: Database,
  run: Run,
  replica: ReplicaReads | undefined,
): Promise<GuaranteeFacts> {
  const [settings] = await run(readSettings())
  const [activity] = await run(readActivity())
  invariant(settings && activity, 'settings and activity are one row each')
  const standbys = await run(listStandbys())
  return {
    ...settingFacts(settings),
    standbys: standbys.map((standby) => ({ ...standby, name: standby.name ?? '' })),
    connectionsFree: freeConnections(settings, activity).free,
    pooled: database.pooled,
    clockOffsetMs: Math.round(database.clock.skewMs),
    zoneData,
    plannerZoneData: await plannerZoneData(run),
    rowSecurity: await rowSecurity(run, database.schema),
    readStandby: await readStandby(replica),
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
async function rowSecurity(run: Run, schema: string) {
  try {
    return (await readRowSecurity(run, schema)).state
  } catch (error) {
    if (isMissingSchema(error) || isMissingFunction(error) || isForbidden(error)) return null
    throw error
  }
}

/** Null when the schema is missing or closed to this role. */
async function plannerZoneData(run: Run): Promise<readonly string[] | null> {
  try {
    const rows = await run(listZoneData())
    return rows.map(({ zoneData }) => zoneData)
  } catch (error) {
    if (isMissingSchema(error) || isForbidden(error)) return null
    throw error
  }
}
