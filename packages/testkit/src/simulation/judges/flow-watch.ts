/**
 * The invariants of flow control, checked when runs are leased: on the definitions of the runs and
 * on the starts seen so far, not on what the store has counted.
 */
import type {
  Change,
  GatedRow,
  LeaseRow,
  LimitRow,
  MemoryDatabase,
  RunRow,
} from '@punctual/store/memory'

/** Starts may be late by this much, or by the duration of the burst. */
const LATE_US = 200_000

interface Pace {
  readonly intervalUs: number
  readonly burst: number
}

export class FlowWatch {
  readonly #db: MemoryDatabase
  readonly #fail: (invariant: string, what: string) => void
  /** The instants of the starts under each rate and each limit. */
  readonly #startsUs = new Map<string, number[]>()
  /** Bookings that have been used: a later attempt at the same instant is no other start. */
  readonly #used = new Set<string>()

  constructor(db: MemoryDatabase, fail: (invariant: string, what: string) => void) {
    this.#db = db
    this.#fail = fail
  }

  /** Limits that are set or removed count starts from then on. */
  limited({ key, after }: Change): void {
    if (after === undefined || (after as LimitRow).nextUs === 0)
      this.#startsUs.delete(`limit ${key}`)
  }

  leased(lease: LeaseRow, changes: readonly Change[], paces: boolean): void {
    const run = this.#db.runs.get(lease.runId)
    if (run) this.#gated(run)
    this.#withinLimits(lease, paces)
    if (run?.flow?.rate && paces) this.#rated(run, changes)
  }

  #gated({ id, flow }: RunRow): void {
    if (flow?.gate === undefined || flow.concurrency === undefined) return
    const gateOf = (runId: string) => this.#db.runs.get(runId)?.flow?.gate
    const leases = this.#db.leases.values().filter(({ runId }) => gateOf(runId) === flow.gate)
    if (leases.length > flow.concurrency.limit)
      this.#fail('a key has no more leases than its limit', `${leases.length} with run ${id}`)
    const earlier = this.#db.parked
      .values()
      .find(({ gate, runId }) => gate === flow.gate && runId < id)
    if (earlier) this.#fail('runs of a key start in order', `run ${id} before ${earlier.runId}`)
  }

  #withinLimits({ lane, runId }: LeaseRow, paces: boolean): void {
    const lanes = this.#db.lanes.values()
    const queueOf = (id: number) => lanes.find((one) => one.id === id)?.queue
    const queue = queueOf(lane)
    for (const [name, { concurrency, rate }] of this.#db.limits.entries()) {
      if (name !== '*' && name !== queue) continue
      const running = this.#db.leases
        .values()
        .filter((lease) => name === '*' || queueOf(lease.lane) === name).length
      if (concurrency !== null && running > concurrency)
        this.#fail('a queue has no more leases than its limit', `${running} with run ${runId}`)
      if (rate !== null && paces) this.#started(`limit ${name}`, this.#db.nowUs, rate, runId)
    }
  }

  /**
   * A run that has booked a start, and is not too late for it, starts as if at that instant; one
   * that a user has promoted is free.
   */
  #rated({ id, flow }: RunRow, changes: readonly Change[]): void {
    const change = changes.find(({ table, key }) => table === 'gated' && key === id)
    const gated = (change?.before ?? this.#db.gated.get(id)) as GatedRow | undefined
    if (!flow?.rate || !flow.rateGate || !flow.rateIntervalUs || !gated) return
    const pace = { intervalUs: flow.rateIntervalUs, burst: flow.rate.burst }
    const { nowUs } = this.#db
    const lateUs = Math.max(LATE_US, pace.intervalUs * pace.burst)
    const bookedUs = gated.bookedUs ?? 0
    if (bookedUs < nowUs - lateUs) {
      this.#started(flow.rateGate, nowUs, pace, id)
      return
    }
    const instantUs = Math.min(bookedUs, nowUs)
    const isNew = !this.#used.has(`${id} ${instantUs}`)
    this.#used.add(`${id} ${instantUs}`)
    if (isNew && bookedUs <= nowUs) this.#started(flow.rateGate, bookedUs, pace, id)
  }

  /** In any interval no more runs start than the burst and what the interval allows. */
  #started(rate: string, atUs: number, { intervalUs, burst }: Pace, runId: string): void {
    const startsUs = [...(this.#startsUs.get(rate) ?? []), atUs].sort((a, b) => a - b)
    this.#startsUs.set(rate, startsUs)
    let nextUs = 0
    for (const startUs of startsUs) {
      if (startUs < nextUs - intervalUs * (burst - 1))
        this.#fail('no more runs start than a rate allows', `run ${runId} under ${rate}`)
      nextUs = Math.max(nextUs, startUs) + intervalUs
    }
  }
}
