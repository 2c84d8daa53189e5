/**
 * Serves remote workers: the store port of a worker over HTTP. No session state is kept in this
 * process, so any node serves any session. Every operation first checks its caller: a session
 * belongs to the tenant whose key opened it, and a run to the session that holds it. Anything else
 * is refused as if it did not exist.
 */
import { PunctualError } from '@punctual/core/errors'
import type { Fence, LogEntry, OpenSession, SessionDescription } from '@punctual/core/ports'
import { appendLines } from './append-lines.ts'
import { checkToken, isToken } from './is-token.ts'
import { KnownLeases } from './known-leases.ts'
import { LaneCache } from './lane-cache.ts'
import type { WorkerCaller, WorkerPorts } from './ports.ts'
import { RemoteClaims } from './remote-claims.ts'
import { RemoteOutcomes } from './remote-outcomes.ts'
import { SessionHints } from './session-hints.ts'
import { WaitingClaims } from './waiting-claims.ts'

export interface Announcement {
  readonly id?: string
  readonly host: string
  readonly pid?: number
  readonly version?: string
  readonly handlers: readonly string[]
  readonly queues?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  readonly capacity: number
  readonly lease_ms: number
  readonly drains?: boolean
}

export interface WireFence {
  readonly run_id: string
  readonly fence: string
}

const wire = ({ id, fence }: Fence): WireFence => ({ run_id: id, fence: fence.toString() })
/** A run under a fence, without leading zeros of the fence. */
const nameOf = ({ run_id, fence }: WireFence): string => `${run_id} ${BigInt(fence)}`
const toFence = ({ run_id, fence }: WireFence): Fence => ({ id: run_id, fence: BigInt(fence) })

export class WorkerSessions {
  readonly claims: RemoteClaims
  readonly outcomes: RemoteOutcomes
  readonly hints: SessionHints
  readonly #ports: WorkerPorts
  readonly #lanes: LaneCache

  constructor(ports: WorkerPorts) {
    this.#ports = ports
    this.#lanes = new LaneCache(ports.work, ports.clock)
    const waiting = new WaitingClaims(ports.clock)
    this.hints = new SessionHints(ports, this.#lanes, waiting)
    const known = new KnownLeases()
    this.claims = new RemoteClaims(ports, this.#lanes, waiting, known)
    this.outcomes = new RemoteOutcomes(ports, known)
  }

  /** The session, if it is open and belongs to the caller. */
  async authorise({ tenantId }: WorkerCaller, id: string): Promise<OpenSession> {
    const session = isToken(id) ? await this.#ports.remoteSessions.find(id) : null
    if (session && session.tenantId === tenantId) return session
    const detail = `No open session has the id ${id.slice(0, 40)}. Its lease may have expired: open a new session.`
    throw new PunctualError('session_not_found', detail, { id })
  }

  async open({ tenantId }: WorkerCaller, worker: Announcement) {
    checkToken('id', worker.id)
    const id = worker.id ?? this.#ports.random.token()
    const { remoteSessions } = this.#ports
    await this.#ports.work.openSession({
      id,
      tenantId,
      sessionsMax: tenantId === null ? null : await remoteSessions.sessionsMax(tenantId),
      host: worker.host,
      pid: worker.pid ?? 0,
      version: worker.version ?? '',
      handlers: worker.handlers,
      queues: worker.queues ?? [],
      labels: worker.labels ?? {},
      capacity: worker.capacity,
      leaseMs: worker.lease_ms,
      drains: worker.drains ?? false,
    })
    // An id that another caller uses is not opened again.
    const { leaseMs } = await this.authorise({ tenantId }, id)
    return { id, lease_ms: leaseMs, renew_every_ms: Math.floor(leaseMs / 3) }
  }

  async renew(session: OpenSession, runs: readonly WireFence[] = []) {
    const { work, remoteSessions } = this.#ports
    const renewed = await remoteSessions.renew(session.id)
    if (!renewed)
      throw new PunctualError('session_not_found', `Session ${session.id} was fenced.`, session)
    const ids = runs.map((run) => run.run_id)
    const leases = await remoteSessions.leases(session.id, ids)
    const held = new Set(leases.map(({ fence }) => fence.toString()))
    const requests = leases.length > 0 ? await work.cancelRequests(leases) : null
    const cancels = leases.flatMap(({ id, fence }) => {
      const reason = requests?.get(fence) ?? null
      return reason === null ? [] : [{ run_id: id, fence: fence.toString(), reason }]
    })
    const lost = runs.filter(({ fence }) => !held.has(BigInt(fence).toString()))
    return { lease_ms: session.leaseMs, drains: renewed.drains, cancels, lost }
  }

  describe(session: OpenSession, now: SessionDescription): Promise<void> {
    return this.#ports.work.describeSession(session.id, now)
  }

  async end(session: OpenSession): Promise<{ closed: boolean }> {
    await this.#ports.work.closeSession(session.id)
    return { closed: (await this.#ports.remoteSessions.find(session.id)) === null }
  }

  /** The lanes of these handlers and queues, which the worker need not have announced. */
  async lanes(session: OpenSession, handlers: readonly string[], queues: readonly string[]) {
    const lanes = await this.#lanes.of({ tenantId: session.tenantId, handlers, queues })
    return lanes.map(({ id, tenantId, queue, handler, priority, weight, ageingMs }) => ({
      ...{ id, tenant_id: tenantId, queue, handler, priority },
      ...{ weight: weight ?? 1, ageing_ms: ageingMs ?? null },
    }))
  }

  /** The leases of these runs that the session holds. */
  async #held(session: OpenSession, runs: readonly WireFence[]) {
    const ids = [...new Set(runs.map((run) => run.run_id))]
    const leases = await this.#ports.remoteSessions.leases(session.id, ids)
    const named = new Set(runs.map(nameOf))
    return leases.filter((lease) => named.has(nameOf(wire(lease))))
  }

  async start(session: OpenSession, runs: readonly WireFence[]) {
    const ours = await this.#held(session, runs)
    const started = ours.length > 0 ? await this.#ports.work.markStarted(ours) : new Set<string>()
    return results(
      runs,
      ours.filter(({ id }) => started.has(id)),
    )
  }

  async giveBack(session: OpenSession, runs: readonly WireFence[]) {
    const ours = await this.#held(session, runs)
    await this.#ports.work.giveBack(ours)
    return results(runs, ours)
  }

  async progress(session: OpenSession, runs: readonly (WireFence & { value: string })[]) {
    const values = new Map(runs.map(({ run_id, value }) => [run_id, value]))
    const ours = await this.#held(session, runs)
    const progress = ours.flatMap((run) => {
      const value = values.get(run.id)
      return value === undefined ? [] : [{ run, value }]
    })
    if (ours.length > 0) await this.#ports.work.reportProgress(progress)
    return results(runs, ours)
  }

  async checkpoint(session: OpenSession, run: WireFence, state: string): Promise<void> {
    const [ours] = await this.#held(session, [run])
    if (ours && (await this.#ports.work.saveCheckpoint(toFence(run), state))) return
    throw notHeld(run)
  }

  /**
   * Only for a run that the session holds, and when a key of the run's tenant opened the session.
   */
  async secret(session: OpenSession, run: WireFence, name: string): Promise<string> {
    const { tenantId } = session
    if (tenantId === null)
      throw new PunctualError(
        'forbidden',
        'A session that works for all tenants cannot read secrets. Open it with a key of the tenant, or for one tenant with X-Punctual-Tenant.',
      )
    const [ours] = await this.#held(session, [run])
    if (ours?.tenantId !== tenantId) throw notHeld(run)
    return this.#ports.secret(tenantId, name)
  }

  /** Appends lines of attempts that the session holds, within the limits of their runs. */
  log(session: OpenSession, lines: readonly LogEntry[]) {
    return appendLines(this.#ports, session, lines)
  }
}

function notHeld({ run_id: id }: WireFence): PunctualError {
  const detail = `The session does not hold run ${id} under this fence.`
  return new PunctualError('lease_lost', detail, { id })
}

function results(runs: readonly WireFence[], accepted: readonly Fence[]) {
  const names = new Set(accepted.map((fence) => nameOf(wire(fence))))
  const all = runs.map((run) =>
    names.has(nameOf(run))
      ? { run_id: run.run_id, accepted: true }
      : { run_id: run.run_id, accepted: false, code: 'lease_lost' },
  )
  return { results: all }
}
