/**
 * Outcomes of a remote worker. Only what its session holds is settled. What it does not hold may be what it settled
 * before, and the answer was lost: what is recorded under its fence tells, and the answer is the same as the first time.
 */
import {
  type ClaimedRun,
  type Lease,
  type LeaseEnd,
  type OpenSession,
  readOutcome,
  readSuccess,
  type Settlement,
  type WireOutcome,
} from '@punctual/core'
import type { WorkerPorts } from './ports.ts'

export type Settled =
  | { readonly run_id: string; readonly accepted: true; readonly state: LeaseEnd['state'] }
  | {
      readonly run_id: string
      readonly accepted: false
      readonly code: 'lease_lost'
      readonly detail: string
    }

const states = {
  succeeded: 'succeeded',
  retry: 'retrying',
  dead: 'dead',
  cancelled: 'cancelled',
  skipped: 'skipped',
} as const satisfies Record<Settlement['kind'], LeaseEnd['state']>

/** How an attempt is recorded that ended so. One to be tried again may have been asked to end. */
const ends: Record<WireOutcome['outcome'], readonly LeaseEnd['outcome'][]> = {
  succeeded: ['succeeded'],
  failed: ['failed', 'cancelled'],
  timed_out: ['timed_out', 'cancelled'],
  cancelled: ['cancelled'],
  interrupted: ['cancelled'],
  skipped: [null],
}

/** Of a success nobody asks what it was to do. Each member is named: there are many, and copying all of one takes long. */
function succeeded(lease: Lease): ClaimedRun {
  return {
    id: lease.id,
    claim: lease.claim,
    lane: lease.lane,
    tenantId: lease.tenantId,
    handler: lease.handler,
    queue: lease.queue,
    priority: lease.priority,
    weight: lease.weight,
    limited: lease.limited,
    attempt: lease.attempt,
    crashes: lease.crashes,
    traits: lease.traits,
    jobId: lease.jobId,
    gate: lease.gate,
    expiresInMs: null,
    maxAttempts: 0,
    timeoutMs: 0,
    payload: 'null',
    policy: null,
    trace: null,
    dueMs: 0,
    slotMs: null,
    missedFromMs: null,
  }
}

export class Settles {
  readonly #ports: WorkerPorts

  constructor(ports: WorkerPorts) {
    this.#ports = ports
  }

  async settle(session: OpenSession, outcomes: readonly WireOutcome[]): Promise<Settled[]> {
    const { work, remoteSessions } = this.#ports
    const ids = outcomes.map((outcome) => outcome.run_id)
    const leases = new Map(
      (await remoteSessions.leases(session.id, ids)).map((lease) => [lease.id, lease]),
    )
    const { settlements, read } = await this.#decide(outcomes, leases)
    const refused = new Set(
      settlements.length > 0 ? await work.settle(session.id, settlements) : [],
    )
    const kinds = new Map(settlements.map((s) => [s.run.id, s.kind]))
    // One to be tried again may have been cancelled: what is recorded tells, as it will the next time.
    const asked = ids.filter((id) => !kinds.has(id) || refused.has(id) || kinds.get(id) === 'retry')
    const recorded = await remoteSessions.ends(session.id, asked)
    return read.map((outcome) => {
      const kind = kinds.get(outcome.run_id)
      return kind && kind !== 'retry' && !refused.has(outcome.run_id)
        ? { run_id: outcome.run_id, accepted: true, state: states[kind] }
        : asRecorded(outcome, recorded)
    })
  }

  async #decide(outcomes: readonly WireOutcome[], leases: ReadonlyMap<string, Lease>) {
    const { outputBytes, random, remoteSessions } = this.#ports
    const settlements: Settlement[] = []
    const others: { outcome: WireOutcome; lease: Lease }[] = []
    const read = outcomes.map((outcome) => {
      const success =
        outcome.outcome === 'succeeded' ? readSuccess(outcome, outputBytes) : { failed: outcome }
      const lease = leases.get(outcome.run_id)
      const ours = lease?.claim === BigInt(outcome.fence) ? lease : null
      if ('failed' in success) {
        if (ours) others.push({ outcome: success.failed, lease: ours })
        return success.failed
      }
      const startedAgoMs = outcome.started_ms_ago ?? 0
      const run = ours && succeeded(ours)
      if (run) settlements.push({ kind: 'succeeded', run, startedAgoMs, output: success.output })
      return outcome
    })
    const defined = await remoteSessions.define(others.map(({ lease }) => lease))
    for (const [i, { outcome }] of others.entries())
      settlements.push(readOutcome(outcome, defined[i] as ClaimedRun, random.fraction()))
    return { settlements, read }
  }
}

function asRecorded(outcome: WireOutcome, recorded: readonly LeaseEnd[]): Settled {
  const { run_id, fence } = outcome
  const end = recorded.find((it) => it.id === run_id && it.claim === BigInt(fence))
  if (end && ends[outcome.outcome].includes(end.outcome))
    return { run_id, accepted: true, state: end.state }
  const detail = end
    ? `This attempt has ended before, as ${end.outcome ?? end.state}.`
    : 'The session does not hold this run under this fence.'
  return { run_id, accepted: false, code: 'lease_lost', detail }
}
