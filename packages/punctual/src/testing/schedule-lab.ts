/**
 * Schedules in virtual time: the real planner code decides on a store in memory, so that a year
 * takes milliseconds. Runs are simulated: they start when they are due and take as long as their
 * job says.
 */
import { type Instant, instantOf } from '@punctual/core/check'
import { defaults, limits, PunctualError } from '@punctual/core/errors'
import { compileJob, type PlannedJob, type SlotReason } from '@punctual/core/job'
import type { PlanStore } from '@punctual/core/ports'
import { type CalendarInput, parseCalendar, TimingCache } from '@punctual/core/schedule'
import { Planner, TimeQueue } from '@punctual/engine'
import { MemoryDatabase, MemoryPlanStore, noHints } from '@punctual/store/memory'
import { type LabJob, StoredLabJob } from './lab-job.ts'
import type { LabEntry, LabOutcome } from './lab-ledger.ts'
import { LabSteering } from './lab-steering.ts'
import { LabWorker } from './lab-worker.ts'
import { Outages } from './outages.ts'
import { type LedgerProof, verifyLedger } from './verify-ledger.ts'
import { VirtualTime } from './virtual-clock.ts'

/** Options of a lab: its start, its jobs and its planners. */
export interface ScheduleLabOptions {
  /** Where the virtual clock starts. */
  start: Instant
  /** Jobs that exist from the start. @default none */
  jobs?: readonly LabJob[]
  /** Calendars by name, for the jobs to refer to. @default none */
  calendars?: Readonly<Record<string, CalendarInput>>
  /** The number of planners, or a list with the clock error of each. @default 1 */
  planners?: number | readonly { readonly skewMs?: number }[]
  /** True: every planner plans all jobs, as if it were alone. @default false */
  race?: boolean
  /** How far ahead slots become runs, in ms. @default 60000, as in production */
  aheadMs?: number
  /**
   * Minimum time between two rounds of the planners, in ms: raise it with `aheadMs` for jobs of
   * seconds. @default 0
   */
  tickEveryMs?: number
  /** The time zone of jobs that do not set one. @default 'UTC' */
  timezone?: string
  /** The jitter of jobs that do not set one, in ms. @default 0 */
  jitterMs?: number
}

/** A slot, or a range of slots that share one decision. */
export interface LabSlot {
  /** The slot's instant; for a range, that of the last slot. */
  readonly slotAt: Date
  /** The first slot of the range; null for a single slot. */
  readonly fromAt: Date | null
  /** How many slots the entry covers. */
  readonly slots: number
  /** Whether the slot became a run. */
  readonly decision: 'run' | 'skip'
  /** The reason for the decision. */
  readonly reason: SlotReason
  /** The run of the slot and how it went; null for a skip. */
  readonly run: {
    readonly dueAt: Date
    readonly startedAt: Date | null
    readonly endedAt: Date | null
    /** Null while the run waits or is running. */
    readonly outcome: LabOutcome | null
  } | null
}

const TICKS_MAX = 100_000

/**
 * Schedules in virtual time: the real planner code decides on a store in memory, so that a year
 * takes milliseconds. Runs are simulated.
 * @example
 * ```ts
 * import { ScheduleLab } from 'punctual/testing'
 *
 * const jobs = [{ name: 'hourly', cron: '0 * * * *' }]
 * const lab = new ScheduleLab({ start: '2026-01-01', jobs })
 * await lab.run({ until: '2026-12-31T23:30:00Z' })
 * console.log(lab.tally('hourly')) // { 'run on-time succeeded': 8760 }
 * ```
 */
export class ScheduleLab {
  readonly #time: VirtualTime
  readonly #db: MemoryDatabase
  readonly #steering: LabSteering
  readonly #worker: LabWorker
  readonly #outages = new Outages()
  readonly #planners: readonly Planner[]
  readonly #actions = new TimeQueue<() => void>()
  readonly #names = new Map<string, StoredLabJob>()
  readonly #ids = new Map<string, StoredLabJob>()
  readonly #options: ScheduleLabOptions
  #restUntilMs = Number.NEGATIVE_INFINITY

  /** Starts with the clock at `start` and nothing planned. */
  constructor(options: ScheduleLabOptions) {
    this.#options = options
    this.#time = new VirtualTime(instantOf('start', options.start))
    const db = new MemoryDatabase(() => this.#time.nowMs)
    this.#db = db
    const calendars = new Map(
      Object.entries(options.calendars ?? {}).map(([name, input]) => [name, parseCalendar(input)]),
    )
    const record = this.#record
    this.#steering = new LabSteering({ db, timings: new TimingCache(), calendars, record })
    const plan = new MemoryPlanStore({
      ...{ db, calendars, record, race: options.race ?? false },
      ...{ clock: this.#time.clock(0), horizonMs: 0, hints: noHints },
      line: { call: async (_, work) => db.transact(work) },
      onFailing: (ids) => {
        for (const job of this.#known(ids)) this.#steering.pause(job, this.#time.nowMs)
      },
    })
    this.#worker = new LabWorker({
      availableMs: this.#availableMs,
      onEnded: (job, nowMs) => this.#follow(job, nowMs),
    })
    this.#planners = this.#makePlanners(plan, options.planners ?? 1)
    for (const job of options.jobs ?? []) this.upsert(job)
  }

  readonly #availableMs = (atMs: number): number => this.#outages.overAtMs(atMs)

  readonly #record = (plans: readonly PlannedJob[]): void => {
    for (const { job: planned, decisions } of plans)
      for (const job of this.#known([planned.id])) {
        job.ledger.pack(this.#time.nowMs, this.#availableMs)
        for (const decision of decisions) {
          const entry = job.ledger.add(decision, job.next, job.isInstant)
          if (entry.run && !entry.run.instant) this.#worker.take(job, entry)
        }
      }
  }

  #known(ids: readonly string[]): StoredLabJob[] {
    return ids.flatMap((id) => this.#ids.get(id) ?? [])
  }

  #makePlanners(
    store: PlanStore,
    planners: number | readonly { readonly skewMs?: number }[],
  ): Planner[] {
    const list =
      typeof planners === 'number' ? Array.from({ length: planners }, () => ({})) : planners
    return list.map(({ skewMs = 0 }: { readonly skewMs?: number }, i) => {
      const clock = this.#time.clock(skewMs)
      return new Planner({
        ...{ store, clock, id: String(i + 1), hintsArrive: () => true },
        ...{ aheadMs: this.#aheadMs, ttlMs: defaults.plannerTtlMs },
      })
    })
  }

  get #aheadMs(): number {
    return this.#options.aheadMs ?? defaults.planAheadMs
  }

  /** The current time of the virtual clock. */
  get now(): Date {
    return new Date(this.#time.nowMs)
  }

  /**
   * Creates or updates the job with this name. Planned runs that have not started are withdrawn.
   */
  upsert(job: LabJob): void {
    const { takesMs, fails, ...options } = job
    const { timezone = defaults.timezone, jitterMs = 0 } = this.#options
    const { payloadBytes } = limits
    const installation = { timezone, jitterMs, payloadBytes }
    const compiled = compileJob({ handler: 'lab', ...options }, installation)
    const { nowMs } = this.#time
    const found = this.#names.get(compiled.name)
    if (found) {
      found.ledger.pack(nowMs, this.#availableMs)
      this.#steering.edit(found, job, compiled, nowMs)
    } else {
      const stored = new StoredLabJob(this.#db, idOf(compiled.name), job, compiled)
      this.#names.set(compiled.name, stored)
      this.#ids.set(stored.id, stored)
      this.#steering.begin(stored, nowMs)
    }
    this.#wake()
  }

  /** Pauses a job. Planned runs that have not started are withdrawn. */
  pause(name: string): void {
    this.#steer(name, (job, nowMs) => this.#steering.pause(job, nowMs))
  }

  /** Resumes a job. Slots that passed during the pause are skipped as one entry. */
  resume(name: string): void {
    this.#steer(name, (job, nowMs) => this.#steering.resume(job, nowMs))
  }

  /** Skips one future slot. */
  skip(name: string, slot: Instant): void {
    const slotMs = instantOf('slot', slot)
    this.#steer(name, (job, nowMs) => {
      if (this.#steering.skip(job, slotMs, nowMs)) return
      const message = `${new Date(slotMs).toISOString()} is not a future slot of ${name}.`
      throw new PunctualError('slot_not_found', message, { field: 'slot', id: name })
    })
  }

  #steer(name: string, act: (job: StoredLabJob, nowMs: number) => void): void {
    const job = this.#need(name)
    job.ledger.pack(this.#time.nowMs, this.#availableMs)
    act(job, this.#time.nowMs)
    this.#wake()
  }

  /**
   * Between `from` (inclusive) and `to` (exclusive) everything is down, or only the planners with
   * these indexes.
   */
  outage(from: Instant, to: Instant, only: { planners?: readonly number[] } = {}): void {
    this.#outages.add(instantOf('from', from), instantOf('to', to), only.planners ?? null)
  }

  /**
   * Calls an action when the virtual clock reaches an instant: to pause, resume, skip or upsert.
   */
  at(when: Instant, action: (lab: ScheduleLab) => void): void {
    this.#actions.add(instantOf('when', when), () => action(this))
  }

  /** Advances the clock to `until` and performs everything that is due on the way. */
  async run({ until }: { until: Instant }): Promise<void> {
    const untilMs = instantOf('until', until)
    for (;;) {
      const tickMs = this.#tickMs()
      const atMs = least(tickMs, this.#worker.nextMs, this.#actions.nextMs)
      if (atMs === null || atMs > untilMs) break
      this.#time.nowMs = Math.max(this.#time.nowMs, atMs)
      const { nowMs } = this.#time
      for (let act = this.#actions.take(nowMs); act !== null; act = this.#actions.take(nowMs)) act()
      this.#worker.work(nowMs)
      if (tickMs !== null && nowMs >= tickMs) await this.#tick()
    }
    this.#time.nowMs = Math.max(this.#time.nowMs, untilMs)
    for (const job of this.#names.values()) job.ledger.pack(this.#time.nowMs, this.#availableMs)
  }

  /** Planners run when a slot comes near, and then not more often than in production. */
  #tickMs(): number | null {
    const nextMs = least(...this.#db.cursors.values().map((cursor) => cursor.nextMs))
    if (nextMs === null) return null
    const atMs = Math.max(this.#restUntilMs, nextMs - this.#aheadMs, this.#time.nowMs)
    return this.#outages.plannersBackMs(atMs, this.#planners.length)
  }

  async #tick(): Promise<void> {
    const { nowMs } = this.#time
    const up = this.#planners.filter((_, i) => !this.#outages.isDown(i, nowMs))
    const rests = await Promise.all(up.map((planner) => tickAll(planner)))
    this.#restUntilMs = nowMs + Math.max(this.#options.tickEveryMs ?? 0, Math.min(...rests))
  }

  #wake(): void {
    this.#restUntilMs = this.#time.nowMs
  }

  /** Applies the end of a run to its job. */
  #follow(job: StoredLabJob, nowMs: number): void {
    const most = job.compiled.rules.pauseAfterFailures ?? Number.POSITIVE_INFINITY
    if (job.cursor.failures >= most) this.#steering.pause(job, nowMs)
    if (job.kind !== 'after-end') return
    job.endedMs = nowMs
    const { nextMs, paused } = job.cursor
    job.move({ anchorMs: nowMs, nextMs: paused ? nextMs : (nextMs ?? nowMs) })
    this.#wake()
  }

  /** The entries of a job, oldest first, including those planned ahead. */
  ledger(name: string): LabSlot[] {
    return [...this.slots(name)]
  }

  /** The same entries one by one, because a year of seconds is too long for a list. */
  *slots(name: string): Generator<LabSlot> {
    for (const entry of this.#need(name).ledger.entries()) yield shown(entry)
  }

  /** Counts entries by decision, reason and outcome: `{ 'run on-time succeeded': 8760 }`. */
  tally(name: string): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { decision, reason, run } of this.#need(name).ledger.entries()) {
      const label = `${decision} ${reason}${run ? ` ${run.outcome ?? 'planned'}` : ''}`
      counts[label] = (counts[label] ?? 0) + 1
    }
    return counts
  }

  /**
   * Compares the ledgers up to now with the rules: reports slots without a decision and with
   * several.
   */
  verify(): LedgerProof {
    return verifyLedger(this.#names.values(), this.#time.nowMs)
  }

  #need(name: string): StoredLabJob {
    const job = this.#names.get(name)
    if (job) return job
    const message = `No job of this lab is named ${JSON.stringify(name)}.`
    throw new PunctualError('job_not_found', message, { id: name })
  }
}

async function tickAll(planner: Planner): Promise<number> {
  for (let i = 0; i < TICKS_MAX; i++) {
    const restMs = await planner.tick()
    if (restMs > 0) return restMs
  }
  return 1
}

function shown({ slotMs, fromMs, slots, decision, reason, run }: LabEntry): LabSlot {
  const at = (ms: number | null) => (ms === null ? null : new Date(ms))
  return {
    slotAt: new Date(slotMs),
    fromAt: fromMs === slotMs ? null : new Date(fromMs),
    ...{ slots, decision, reason },
    run: run && {
      dueAt: new Date(run.dueMs),
      startedAt: at(run.startedMs),
      endedAt: at(run.endedMs),
      outcome: run.outcome,
    },
  }
}

function least(...times: readonly (number | null)[]): number | null {
  const known = times.filter((ms) => ms !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** The same id for the same name in every run, so that `H` and jitter are reproducible. */
function idOf(name: string): string {
  let [low, high] = [2_166_136_261, 40_389]
  for (let i = 0; i < name.length; i++) {
    low = Math.imul(low ^ name.charCodeAt(i), 16_777_619) >>> 0
    high = Math.imul(high ^ low, 2_246_822_507) >>> 0
  }
  const hex = (n: number) => n.toString(16).padStart(8, '0')
  return `00000000-0000-7000-8000-${hex(high).slice(0, 4)}${hex(low)}`
}
