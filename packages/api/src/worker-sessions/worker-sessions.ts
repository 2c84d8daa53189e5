/**
 * Remote workers, served: the port of workers over HTTP, thin. Nothing that a session needs is kept in this process, so
 * that any node serves any session. Every verb first looks who asks: a session belongs to the tenant whose key opened it, and
 * a run to the session that holds it; whatever else is named is refused as if it were not there.
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
/** A run under a fence, whatever zeros that begins with. */
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
    const room = new WaitingClaims(ports.clock)
    this.hints = new SessionHints(ports, this.#lanes, room)
    const known = new KnownLeases()
    this.claims = new RemoteClaims(ports, this.#lanes, room, known)
    this.outcomes = new RemoteOutcomes(ports, known)
  }

  /** The session, if it is open and the caller's. */
  async authorise({ tenantId }: WorkerCaller, id: string): Promise<OpenSession> {
    const session = isToken(id) ? await this.#ports.remoteSessions.find(id) : null
    if (session && session.tenantId === tenantId) return session
    const detail = `No session ${id.slice(0, 40)} is open here. It may have run out: open a new one.`
    throw new PunctualError('session_not_found', detail, { id })
  }

  async open({ tenantId }: WorkerCaller, it: Announcement) {
    checkToken('id', it.id)
    const id = it.id ?? this.#ports.random.token()
    await this.#ports.work.openSession({
      id,
      tenantId,
      host: it.host,
      pid: it.pid ?? 0,
      version: it.version ?? '',
      handlers: it.handlers,
      queues: it.queues ?? [],
      labels: it.labels ?? {},
      capacity: it.capacity,
      leaseMs: it.lease_ms,
      drains: it.drains ?? false,
    })
    // An id that somebody else has is not opened again.
    const { leaseMs } = await this.authorise({ tenantId }, id)
    return { id, lease_ms: leaseMs, renew_every_ms: Math.floor(leaseMs / 3) }
  }

  async renew(session: OpenSession, runs: readonly WireFence[] = []) {
    const { work, remoteSessions } = this.#ports
    const renewed = await work.renewSession(session.id)
    if (!renewed)
      throw new PunctualError('session_not_found', `Session ${session.id} was fenced.`, session)
    const ids = runs.map((run) => run.run_id)
    const leases = await remoteSessions.leases(session.id, ids)
    const held = new Set(leases.map(({ fence }) => fence.toString()))
    const asked = leases.length > 0 ? await work.cancelRequests(leases) : new Map()
    const cancels = leases.flatMap(({ id, fence }) => {
      const reason: unknown = asked.get(fence)
      return typeof reason === 'string' ? [{ run_id: id, fence: fence.toString(), reason }] : []
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

  /** The lanes of these handlers and queues, announced or about to be. */
  async lanes(session: OpenSession, handlers: readonly string[], queues: readonly string[]) {
    const lanes = await this.#lanes.of({ tenantId: session.tenantId, handlers, queues })
    return lanes.map(({ id, tenantId, queue, handler, priority, weight, ageingMs }) => ({
      ...{ id, tenant_id: tenantId, queue, handler, priority },
      ...{ weight: weight ?? 1, ageing_ms: ageingMs ?? null },
    }))
  }

  /** Those of these that the session holds. */
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
    const progress = ours.map((run) => ({ run, value: values.get(run.id) as string }))
    if (ours.length > 0) await this.#ports.work.reportProgress(progress)
    return results(runs, ours)
  }

  async checkpoint(session: OpenSession, run: WireFence, state: string): Promise<void> {
    const [ours] = await this.#held(session, [run])
    if (ours && (await this.#ports.work.saveCheckpoint(toFence(run), state))) return
    throw notHeld(run)
  }

  /** For a run that it holds, and only where a key of the tenant vouches for the worker. */
  async secret(session: OpenSession, run: WireFence, name: string): Promise<string> {
    const { tenantId } = session
    if (tenantId === null)
      throw new PunctualError(
        'forbidden',
        'A session that works for all tenants is given no secrets. Open it with a key of the tenant, or for one with X-Punctual-Tenant.',
      )
    const [ours] = await this.#held(session, [run])
    if (ours?.tenantId !== tenantId) throw notHeld(run)
    return this.#ports.secret(tenantId, name)
  }

  /** Lines of attempts that the session holds, as many as their runs may have. */
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
