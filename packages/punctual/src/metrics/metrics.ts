/** The seam for measurements: turns reports of workers and roles into Prometheus metrics. */
import type { ClaimedRun, ReapResult, Settlement } from '@punctual/core/ports'
import type { AuditResult } from '@punctual/engine'
import type { PostgresStore } from '@punctual/store'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Workers } from '../queues/workers.ts'
import { exposeFleet } from './fleet-gauges.ts'
import { RunTally } from './run-tally.ts'

/** Prometheus metrics of this process, of its queues and of the workers. */
export class Metrics {
  readonly #registry = new Registry()
  /** Metrics that name queues and handlers, which belong to tenants. */
  readonly #named = new Registry()
  readonly #runs = new RunTally()
  readonly #stale: Counter
  readonly #dead: Counter<'queue'>
  readonly #errors: Counter<'where'>
  readonly #reaped: Counter<'what'>
  readonly #findings: Counter<'kind'>
  readonly #repairs: Counter<'kind'>
  readonly #nowMs: () => number
  readonly #expose: () => void
  #exposed = false
  #auditedAtMs: number | null = null

  /** @internal */
  constructor(store: PostgresStore, workers: Workers, nowMs: () => number) {
    this.#nowMs = nowMs
    this.#expose = () => this.#exposeProcess(store, workers, nowMs)
    const registers = [this.#registry]
    this.#runs.register(this.#named)
    this.#stale = new Counter({
      name: 'punctual_stale_settles_total',
      help: 'Outcomes refused because another worker owns the run.',
      registers,
    })
    this.#dead = new Counter({
      name: 'punctual_dead_total',
      help: 'Runs that this process settled as dead.',
      labelNames: ['queue'],
      registers: [this.#named],
    })
    this.#errors = new Counter({
      name: 'punctual_errors_total',
      help: 'Faults of this process, by the part that failed.',
      labelNames: ['where'],
      registers,
    })
    this.#reaped = new Counter({
      name: 'punctual_reaped_total',
      help: 'Expired sessions fenced and runs returned to the queue by this process.',
      labelNames: ['what'],
      registers,
    })
    this.#findings = new Counter({
      name: 'punctual_audit_findings_total',
      help: 'Inconsistencies found by the auditor of this process, repaired or not.',
      labelNames: ['kind'],
      registers,
    })
    this.#repairs = new Counter({
      name: 'punctual_audit_repairs_total',
      help: 'Inconsistencies repaired by the auditor of this process.',
      labelNames: ['kind'],
      registers,
    })
  }

  /** @internal */
  started(run: ClaimedRun, latenessMs: number): void {
    if (run.attempt === 0) this.#runs.started(run.queue, latenessMs)
  }

  /** @internal */
  settled(settlement: Settlement, accepted: boolean): void {
    const outcome = 'outcome' in settlement ? settlement.outcome : settlement.kind
    if (!accepted) this.#stale.inc()
    // The attempt has not ended: its target works on it.
    if (settlement.kind === 'awaiting') return
    this.#runs.ended(settlement.run.queue, outcome, settlement.startedAgoMs)
    if (settlement.kind === 'dead' && accepted) this.#dead.inc({ queue: settlement.run.queue })
  }

  /** @internal */
  transacted(run: ClaimedRun): void {
    this.#runs.ended(run.queue, 'succeeded', null)
  }

  /** @internal */
  failed(where: string): void {
    this.#errors.inc({ where })
  }

  /** @internal */
  reaped(result: ReapResult): void {
    for (const [what, count] of Object.entries(result)) this.#reaped.inc({ what }, count)
  }

  /** @internal */
  audited({ findings, roundEnded }: AuditResult): void {
    for (const { kind, repaired } of findings) {
      this.#findings.inc({ kind })
      if (repaired) this.#repairs.inc({ kind })
    }
    if (!roundEnded) return
    if (this.#auditedAtMs === null) this.#exposeAudit()
    this.#auditedAtMs = this.#nowMs()
  }

  /**
   * Registered with the first finished round: a process without an auditor must not export this
   * gauge.
   */
  #exposeAudit(): void {
    const ageMs = () => this.#nowMs() - (this.#auditedAtMs ?? 0)
    new Gauge({
      name: 'punctual_audit_round_age_seconds',
      help: 'Time since the auditor of this process last completed a round over all jobs.',
      registers: [this.#registry],
      collect() {
        this.set(ageMs() / 1_000)
      },
    })
  }

  /** Adds metrics that are read from the database and from the process. */
  #exposeProcess(store: PostgresStore, workers: Workers, nowMs: () => number): void {
    collectDefaultMetrics({ register: this.#registry })
    exposeFleet({ store, workers }, { open: this.#registry, named: this.#named }, nowMs)
    new Gauge({
      name: 'punctual_clock_skew_seconds',
      help: 'How far the clock of this machine is ahead of that of the database.',
      registers: [this.#registry],
      collect() {
        this.set(store.database.clock.skewMs / 1_000)
      },
    })
    exposeDeadLetters(this.#named, store, nowMs)
  }

  /**
   * All metrics in Prometheus text format. Metrics that cost a query are only collected after the
   * first call.
   */
  async text(): Promise<string> {
    const [open, named] = await Promise.all([this.openText(), this.#named.metrics()])
    return `${open}\n${named}`
  }

  /** @internal The metrics that name no queue and no handler. */
  openText(): Promise<string> {
    if (!this.#exposed) this.#expose()
    this.#exposed = true
    return this.#registry.metrics()
  }
}

const DEAD_LETTERS_CACHE_MS = 5_000

/** Queries the database when it is scraped, and at most every five seconds. */
function exposeDeadLetters(registry: Registry, store: PostgresStore, nowMs: () => number): void {
  let readAtMs = Number.NEGATIVE_INFINITY
  new Gauge({
    name: 'punctual_dead_letters_open',
    help: 'Dead letters that are not handled yet (counted up to 10,000 per lane).',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      if (nowMs() - readAtMs < DEAD_LETTERS_CACHE_MS) return
      readAtMs = nowMs()
      // While the database is unreachable the gauge has no value; punctual_up shows the reason.
      const open = await store.deadLetters.countOpen().catch(() => new Map<string, number>())
      this.reset()
      for (const [queue, count] of open) this.set({ queue }, count)
    },
  })
}
