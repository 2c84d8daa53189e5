/**
 * Outcomes of a remote worker. Only runs that its session holds are settled. An outcome for another
 * run may repeat one whose answer was lost: the record of its fence decides, and the answer is the
 * same as the first time.
 */
import type { ClaimedRun, LeaseEnd, OpenSession, Settlement } from '@punctual/core/ports'
import { readOutcome, readSuccess, type WireOutcome } from '@punctual/core/wire'
import { bare, type KnownLeases } from './known-leases.ts'
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
  awaiting: 'awaiting',
  unknown: 'unknown',
} as const satisfies Record<Settlement['kind'], LeaseEnd['state']>

/** How an attempt with this outcome is recorded. One to be retried may have been asked to end. */
const ends: Record<WireOutcome['outcome'], readonly LeaseEnd['outcome'][]> = {
  succeeded: ['succeeded'],
  failed: ['failed', 'cancelled'],
  timed_out: ['timed_out', 'cancelled'],
  cancelled: ['cancelled'],
  interrupted: ['cancelled'],
  skipped: [null],
  awaiting: [null, 'succeeded', 'failed', 'timed_out', 'cancelled'],
  unknown: ['failed', 'timed_out'],
}

export class RemoteOutcomes {
  readonly #ports: WorkerPorts
  readonly #known: KnownLeases

  constructor(ports: WorkerPorts, known: KnownLeases) {
    this.#ports = ports
    this.#known = known
  }

  async settle(session: OpenSession, reported: readonly WireOutcome[]): Promise<Settled[]> {
    const { work, remoteSessions } = this.#ports
    const outcomes = sinceOpened(reported, session)
    const ids = outcomes.map((outcome) => outcome.run_id)
    const leases = await this.#leases(session, outcomes)
    const { settlements, read } = await this.#decide(outcomes, leases)
    const refused = new Set(
      settlements.length > 0 ? await work.settle(session.id, settlements) : [],
    )
    const kinds = new Map(settlements.map((s) => [s.run.id, s.kind]))
    // A retried run may have been cancelled: its record decides, as it will when this is repeated.
    const unsure = ids.filter(
      (id) => !kinds.has(id) || refused.has(id) || kinds.get(id) === 'retry',
    )
    const recorded = await remoteSessions.ends(session.id, unsure)
    return read.map((outcome) => {
      const kind = kinds.get(outcome.run_id)
      return kind && kind !== 'retry' && !refused.has(outcome.run_id)
        ? { run_id: outcome.run_id, accepted: true, state: states[kind] }
        : asRecorded(outcome, recorded)
    })
  }

  /**
   * Leases known from their claims here; others are read. Settling decides whether they are held.
   */
  async #leases(session: OpenSession, outcomes: readonly WireOutcome[]) {
    const { known, others } = this.#known.take(session.id, outcomes)
    for (const lease of await this.#ports.remoteSessions.leases(session.id, others))
      known.set(lease.id, bare(lease))
    return known
  }

  async #decide(outcomes: readonly WireOutcome[], leases: ReadonlyMap<string, ClaimedRun>) {
    const { outputBytes, random, remoteSessions } = this.#ports
    const settlements: Settlement[] = []
    const others: { outcome: WireOutcome; lease: ClaimedRun }[] = []
    const read = outcomes.map((outcome) => {
      const success =
        outcome.outcome === 'succeeded' ? readSuccess(outcome, outputBytes) : { failed: outcome }
      const lease = leases.get(outcome.run_id)
      const ours = lease?.fence === BigInt(outcome.fence) ? lease : null
      if ('failed' in success) {
        if (ours) others.push({ outcome: success.failed, lease: ours })
        return success.failed
      }
      const startedAgoMs = outcome.started_ms_ago ?? 0
      const { output } = success
      if (ours) settlements.push({ kind: 'succeeded', run: ours, startedAgoMs, output })
      return outcome
    })
    // A thousand failures need the retry policies of their runs, and none of their payloads.
    const defined = await remoteSessions.policies(others.map(({ lease }) => lease))
    for (const [i, run] of defined.entries()) {
      const other = others[i]
      if (other) settlements.push(readOutcome(other.outcome, run, random.fraction()))
    }
    return { settlements, read }
  }
}

/** An attempt cannot have started before its worker's session: longer times are cut to its age. */
function sinceOpened(outcomes: readonly WireOutcome[], { openMs }: OpenSession) {
  if (outcomes.every((outcome) => (outcome.started_ms_ago ?? 0) <= openMs)) return outcomes
  return outcomes.map((outcome) => ({
    ...outcome,
    ...(outcome.started_ms_ago != null && {
      started_ms_ago: Math.min(outcome.started_ms_ago, openMs),
    }),
  }))
}

function asRecorded(outcome: WireOutcome, recorded: readonly LeaseEnd[]): Settled {
  const { run_id, fence } = outcome
  const end = recorded.find((entry) => entry.id === run_id && entry.fence === BigInt(fence))
  if (end && ends[outcome.outcome].includes(end.outcome))
    return { run_id, accepted: true, state: end.state }
  const detail = end
    ? `This attempt has already ended, as ${end.outcome ?? end.state}.`
    : 'The session does not hold this run under this fence.'
  return { run_id, accepted: false, code: 'lease_lost', detail }
}
