/** The queries behind remote workers: their sessions, their leases, and how leased runs ended. */
import { invariant } from '@punctual/core/errors'
import type {
  ClaimedRun,
  Fence,
  Lease,
  LeaseEnd,
  OpenSession,
  RemoteSessions,
} from '@punctual/core/ports'
import { attemptOutcomeOf, finalStateOf } from '@punctual/core/run'
import { int8Array, uuidArray } from '../connection/binary-arrays.ts'
import type { Row } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import type { RunDefinition } from '../work/claim-codec.ts'
import { assignmentOf, readDefinitions } from '../work/run-definitions.ts'
import { fences } from '../work/run-settlements.ts'

export class PostgresRemoteSessions implements RemoteSessions {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async find(sessionId: string): Promise<OpenSession | null> {
    const statement = this.#database.statement('sessions/find-session')
    const [row] = await this.#database.control.query(statement, [sessionId])
    if (!row) return null
    const [id, tenantId, handlers, queues, leaseMs, drains, openMs] = row
    return {
      id: id as string,
      tenantId: tenantId === null ? null : Number(tenantId),
      handlers: JSON.parse(handlers as string) as string[],
      queues: JSON.parse(queues as string) as string[],
      leaseMs: Number(leaseMs),
      drains: drains === 't',
      openMs: Math.max(0, Number(openMs)),
    }
  }

  async leases(sessionId: string, runIds: readonly string[]): Promise<readonly Lease[]> {
    if (runIds.length === 0) return []
    const statement = this.#database.statement('work/read-leases')
    const values = [sessionId, uuidArray(runIds)]
    return (await this.#database.settle.pinnedOne(statement, values)).map(toLease)
  }

  async fenceAgain(
    sessionId: string,
    runs: readonly Fence[],
    fence: string,
  ): Promise<readonly Lease[]> {
    if (runs.length === 0) return []
    const statement = this.#database.statement('work/fence-again')
    const fresh = int8Array(runs.map((_, i) => BigInt(fence) + BigInt(i) + 1n))
    const values = [sessionId, ...fences(runs), fresh]
    return (await this.#database.settle.pinnedOne(statement, values)).map(toLease)
  }

  async holders(runIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const statement = this.#database.statement('work/parked/find-holders')
    const rows = await this.#database.control.query(statement, [uuidArray(runIds)])
    return new Map(rows.map(([runId, sessionId]) => [runId as string, sessionId as string]))
  }

  async define(leases: readonly Lease[]): Promise<readonly ClaimedRun[]> {
    const definitions = new Map<string, RunDefinition>()
    const ids = leases.map((lease) => lease.id)
    await readDefinitions(this.#database, ids, (id, read) => definitions.set(id, read))
    const nowMs = this.#database.clock.nowMs()
    return leases.map((lease) => {
      const definition = definitions.get(lease.id)
      invariant(definition, `run ${lease.id} is leased and has no definition`)
      return { ...lease, ...assignmentOf(definition, lease.traits, nowMs) }
    })
  }

  async ends(sessionId: string, runIds: readonly string[]): Promise<readonly LeaseEnd[]> {
    if (runIds.length === 0) return []
    const statement = this.#database.statement('work/find-ends')
    const rows = await this.#database.control.query(statement, [sessionId, uuidArray(runIds)])
    return rows.map(([id, fence, outcome, state]) => ({
      id: id as string,
      fence: BigInt(fence as string),
      outcome: attemptOutcomeOf.get(Number(outcome)) ?? null,
      state: finalStateOf.get(Number(state)) ?? 'retrying',
    }))
  }
}

function toLease(row: Row): Lease {
  const [id, fence, lane, tenantId, handler, queue, priority, attempt, crashes, ...rest] = row
  const [traits, jobId, gate, limited] = rest
  return {
    id: id as string,
    fence: BigInt(fence as string),
    lane: Number(lane),
    tenantId: Number(tenantId),
    handler: handler as string,
    queue: queue as string,
    priority: Number(priority),
    weight: 1,
    limited: limited === 't',
    attempt: Number(attempt),
    crashes: Number(crashes),
    traits: Number(traits),
    jobId: jobId ?? null,
    gate: gate ? BigInt(gate) : null,
  }
}
