/** The one seam for measurements: what workers and roles report becomes Prometheus metrics. */
import type { ClaimedRun, ReapResult, Settlement } from '@punctual/core/ports'
import type { AuditResult } from '@punctual/engine'
import type { PostgresStore } from '@punctual/store'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { exposeFleet } from './fleet-gauges.ts'
import { RunTally } from './run-tally.ts'

/** What this process and its queues did, for Prometheus. */
export class Metrics {
  readonly #registry = new Registry()
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
  constructor(store: PostgresStore, nowMs: () => number) {
    this.#nowMs = nowMs
    this.#expose = () => this.#exposeProcess(store, nowMs)
    const registers = [this.#registry]
    this.#runs.register(this.#registry)
    this.#stale = new Counter({
      name: 'punctual_stale_settles_total',
      help: 'Outcomes refused because the run was given to another worker.',
      registers,
    })
    this.#dead = new Counter({
      name: 'punctual_dead_total',
      help: 'Runs that this process settled as dead.',
      labelNames: ['queue'],
      registers,
    })
    this.#errors = new Counter({
      name: 'punctual_errors_total',
      help: 'Faults of this process by where they happened.',
      labelNames: ['where'],
      registers,
    })
    this.#reaped = new Counter({
      name: 'punctual_reaped_total',
      help: 'Sessions fenced and runs taken back by this process.',
      labelNames: ['what'],
      registers,
    })
    this.#findings = new Counter({
      name: 'punctual_audit_findings_total',
      help: 'What the auditor of this process found, repaired or not.',
      labelNames: ['kind'],
      registers,
    })
    this.#repairs = new Counter({
      name: 'punctual_audit_repairs_total',
      help: 'What the auditor of this process put right.',
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

  /** A process that audits nothing has no age to tell. */
  #exposeAudit(): void {
    const ageMs = () => this.#nowMs() - (this.#auditedAtMs ?? 0)
    new Gauge({
      name: 'punctual_audit_round_age_seconds',
      help: 'How long ago the auditor of this process had looked at every job.',
      registers: [this.#registry],
      collect() {
        this.set(ageMs() / 1_000)
      },
    })
  }

  /** Adds what is read from the database and from the process. */
  #exposeProcess(store: PostgresStore, nowMs: () => number): void {
    collectDefaultMetrics({ register: this.#registry })
    exposeFleet(store, this.#registry, nowMs)
    new Gauge({
      name: 'punctual_clock_skew_seconds',
      help: "How far this machine's clock is ahead of the database's.",
      registers: [this.#registry],
      collect() {
        this.set(store.database.clock.skewMs / 1_000)
      },
    })
    exposeDeadLetters(this.#registry, store, nowMs)
  }

  /** Everything in Prometheus' text format. What costs something is only measured once somebody asks. */
  text(): Promise<string> {
    if (!this.#exposed) this.#expose()
    this.#exposed = true
    return this.#registry.metrics()
  }
}

const LETTERS_CACHE_MS = 5_000

/** A gauge that asks the database itself, so that its figure is of this very look. */
function exposeDeadLetters(registry: Registry, store: PostgresStore, nowMs: () => number): void {
  let lookedAtMs = Number.NEGATIVE_INFINITY
  new Gauge({
    name: 'punctual_dead_letters_open',
    help: 'Dead letters that nobody has handled (counted to 10,000 a lane).',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      if (nowMs() - lookedAtMs < LETTERS_CACHE_MS) return
      lookedAtMs = nowMs()
      // While the database is away there is no figure; punctual_up says why.
      const open = await store.letters.countOpen().catch(() => new Map<string, number>())
      this.reset()
      for (const [queue, letters] of open) this.set({ queue }, letters)
    },
  })
}
