/** The queries behind remote workers: their sessions, their leases, and how leased runs ended. */
import { invariant, limits } from '@punctual/core/errors'
import type {
  ClaimedRun,
  Fence,
  Lease,
  LeaseEnd,
  OpenSession,
  RemoteSessions,
} from '@punctual/core/ports'
import { int8Array, uuidArray } from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import type { QuotaKeeper } from '../tenants/quota-keeper.ts'
import type { RunDefinition } from '../work/claim-codec.ts'
import { assignmentOf, readDefinitions, readWithoutPayloads } from '../work/run-definitions.ts'
import { fences } from '../work/settle-all.ts'
import {
  fenceAgain,
  findEnds,
  findHolders,
  type ReadLeasesRow,
  readLeases,
} from '../work/statements.gen.ts'
import { findSession, renewSession } from './statements.gen.ts'

export class PostgresRemoteSessions implements RemoteSessions {
  readonly #database: Database
  readonly #quotas: QuotaKeeper

  constructor(database: Database, quotas: QuotaKeeper) {
    this.#database = database
    this.#quotas = quotas
  }

  async find(sessionId: string): Promise<OpenSession | null> {
    const [row] = await this.#database.identity.run(findSession(sessionId))
    return row ? { ...row, openMs: Math.max(0, row.openMs) } : null
  }

  async renew(sessionId: string): Promise<{ readonly drains: boolean } | null> {
    const [row] = await this.#database.identity.run(renewSession(sessionId))
    return row ? { drains: row.drains } : null
  }

  sessionsMax(tenantId: number): Promise<number> {
    return this.#quotas.sessions(tenantId)
  }

  async leases(sessionId: string, runIds: readonly string[]): Promise<readonly Lease[]> {
    if (runIds.length === 0) return []
    const call = readLeases(sessionId, uuidArray(runIds))
    return (await this.#database.settle.runPinned(call)).map(toLease)
  }

  async fenceAgain(
    sessionId: string,
    runs: readonly Fence[],
    fence: string,
  ): Promise<readonly Lease[]> {
    if (runs.length === 0) return []
    const fresh = int8Array(runs.map((_, i) => BigInt(fence) + BigInt(i) + 1n))
    const call = fenceAgain(sessionId, ...fences(runs), fresh)
    return (await this.#database.settle.runPinned(call)).map(toLease)
  }

  async holders(runIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#database.control.run(findHolders(uuidArray(runIds)))
    return new Map(rows.map(({ runId, sessionId }) => [runId, sessionId]))
  }

  async define(leases: readonly Lease[]): Promise<readonly ClaimedRun[]> {
    const definitions = new Map<string, RunDefinition>()
    const ids = leases.map((lease) => lease.id)
    const add = (id: string, read: RunDefinition) => definitions.set(id, read)
    const left = new Set(await readDefinitions(this.#database, ids, limits.claimBytes, add))
    return this.#assigned(
      leases.filter(({ id }) => !left.has(id)),
      definitions,
    )
  }

  async policies(leases: readonly Lease[]): Promise<readonly ClaimedRun[]> {
    const definitions = new Map<string, RunDefinition>()
    const ids = leases.map((lease) => lease.id)
    await readWithoutPayloads(this.#database, ids, (id, read) => definitions.set(id, read))
    return this.#assigned(leases, definitions)
  }

  #assigned(
    leases: readonly Lease[],
    definitions: ReadonlyMap<string, RunDefinition>,
  ): readonly ClaimedRun[] {
    const nowMs = this.#database.clock.nowMs()
    return leases.map((lease) => {
      const definition = definitions.get(lease.id)
      invariant(definition, `run ${lease.id} is leased and has no definition`)
      return { ...lease, ...assignmentOf(definition, lease.traits, nowMs) }
    })
  }

  async ends(sessionId: string, runIds: readonly string[]): Promise<readonly LeaseEnd[]> {
    if (runIds.length === 0) return []
    const rows = await this.#database.control.run(findEnds(sessionId, uuidArray(runIds)))
    return rows.map(({ awaits, ...row }) => ({
      ...{ ...row, state: row.state ?? (awaits ? 'awaiting' : 'retrying') },
    }))
  }
}

function toLease(row: ReadLeasesRow): Lease {
  return { ...row, weight: 1 }
}
