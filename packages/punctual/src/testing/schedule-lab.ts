/**
 * Schedules in virtual time: the real planners and the real decisions on a store in memory, so that a year takes
 * milliseconds. Runs are simulated: they start when they are due and take as long as their job says.
 */
import { type Instant, instantOf } from '@punctual/core/check'
import { defaults, limits, PunctualError } from '@punctual/core/errors'
import { compileJob, type SlotReason } from '@punctual/core/job'
import { type CalendarInput, TimingCache } from '@punctual/core/schedule'
import { Planner, TimeQueue } from '@punctual/engine'
import { type LabJob, StoredLabJob } from './lab-job.ts'
import type { LabEntry, LabOutcome } from './lab-ledger.ts'
import { LabSteering } from './lab-steering.ts'
import { LabWorker } from './lab-worker.ts'
import { MemoryPlanStore } from './memory-plan-store.ts'
import { Outages } from './outages.ts'
import { type LedgerProof, verifyLedger } from './verify-ledger.ts'
import { VirtualTime } from './virtual-clock.ts'

/** When the virtual time begins, and what there is then. */
export interface ScheduleLabOptions {
  /** When the virtual clock begins. */
  start: Instant
  /** Jobs to begin with. @default none */
  jobs?: readonly LabJob[]
  /** Calendars by name, that jobs may refer to. @default none */
  calendars?: Readonly<Record<string, CalendarInput>>
  /** How many planners there are, or how wrong the clock of each is. @default 1 */
  planners?: number | readonly { readonly skewMs?: number }[]
  /** All planners plan all jobs, as if none knew of the others. @default false */
  race?: boolean
  /** How far ahead slots become runs. @default 60000, as in production */
  aheadMs?: number
  /** The least time between two looks of the planners: raise it with `aheadMs` for jobs of seconds. @default 0 */
  tickEveryMs?: number
  /** The time zone of jobs that name none. @default 'UTC' */
  timezone?: string
  /** The jitter of jobs that have none of their own. @default 0 */
  jitterMs?: number
}

/** A slot, or a range of slots for which one thing was decided. */
export interface LabSlot {
  /** The slot; of a range, the last one. */
  readonly slotAt: Date
  /** The first slot of the range; null when it is the only one. */
  readonly fromAt: Date | null
  /** How many slots it stands for. */
  readonly slots: number
  /** Whether it became a run. */
  readonly decision: 'run' | 'skip'
  /** Why it did, or did not. */
  readonly reason: SlotReason
  /** The run that it became, and how that went; null when it was skipped. */
  readonly run: {
    readonly dueAt: Date
    readonly startedAt: Date | null
    readonly endedAt: Date | null
    /** Null while it waits or goes on. */
    readonly outcome: LabOutcome | null
  } | null
}

const TICKS_MAX = 100_000

/**
 * Schedules in virtual time: the real planners and the real decisions on a store in memory, so that a year takes
 * milliseconds. Runs are simulated.
 * @example
 * ```ts
 * import { ScheduleLab } from 'punctual/testing'
 *
 * const lab = new ScheduleLab({ start: '2026-01-01', jobs: [{ name: 'hourly', cron: '0 * * * *' }] })
 * await lab.run({ until: '2026-12-31T23:30:00Z' })
 * console.log(lab.tally('hourly')) // { 'run on-time succeeded': 8760 }
 * ```
 */
export class ScheduleLab {
  readonly #time: VirtualTime
  readonly #store: MemoryPlanStore
  readonly #steering: LabSteering
  readonly #worker: LabWorker
  readonly #outages = new Outages()
  readonly #planners: readonly Planner[]
  readonly #actions = new TimeQueue<() => void>()
  readonly #names = new Map<string, StoredLabJob>()
  readonly #options: ScheduleLabOptions
  #restUntilMs = Number.NEGATIVE_INFINITY

  /** Begins with the clock at `start`; nothing has been planned then. */
  constructor(options: ScheduleLabOptions) {
    this.#options = options
    this.#time = new VirtualTime(instantOf('start', options.start))
    this.#store = new MemoryPlanStore({
      time: this.#time,
      calendars: options.calendars ?? {},
      race: options.race ?? false,
      onPlanned: (job, { decisions }) => {
        job.ledger.pack(this.#time.nowMs, this.#availableMs)
        for (const of of decisions) {
          const entry = job.ledger.add(of, job.next, job.isInstant)
          if (entry.run && !entry.run.instant) this.#worker.take(job, entry)
        }
      },
      onFailing: (job) => this.#steering.pause(job, this.#time.nowMs),
    })
    this.#steering = new LabSteering(this.#store, new TimingCache())
    this.#worker = new LabWorker({
      availableMs: this.#availableMs,
      onEnded: (job, nowMs) => this.#follow(job, nowMs),
    })
    this.#planners = this.#makePlanners(options.planners ?? 1)
    for (const job of options.jobs ?? []) this.upsert(job)
  }

  readonly #availableMs = (atMs: number): number => this.#outages.overAtMs(atMs)

  #makePlanners(planners: number | readonly { readonly skewMs?: number }[]): Planner[] {
    const list =
      typeof planners === 'number' ? Array.from({ length: planners }, () => ({})) : planners
    return list.map(({ skewMs = 0 }: { readonly skewMs?: number }, i) => {
      const clock = this.#time.clock(skewMs)
      return new Planner({
        ...{ store: this.#store, clock, id: String(i + 1), hintsArrive: () => true },
        ...{ aheadMs: this.#aheadMs, ttlMs: defaults.plannerTtlMs },
      })
    })
  }

  get #aheadMs(): number {
    return this.#options.aheadMs ?? defaults.planAheadMs
  }

  /** What the virtual clock shows. */
  get now(): Date {
    return new Date(this.#time.nowMs)
  }

  /** Registers a job, or changes the one of this name: what is planned and has not started is taken back. */
  upsert(job: LabJob): void {
    const { takesMs, fails, ...options } = job
    const { timezone = defaults.timezone, jitterMs = 0 } = this.#options
    const { payloadBytes } = limits
    const installation = { timezone, jitterMs, payloadBytes }
    const compiled = compileJob({ handler: 'lab', ...options }, installation)
    const timing = this.#store.internRules(compiled.rulesText, compiled.rules)
    const { nowMs } = this.#time
    const found = this.#names.get(compiled.name)
    if (found) {
      found.ledger.pack(nowMs, this.#availableMs)
      this.#steering.edit(found, job, compiled, timing, nowMs)
    } else {
      const stored = new StoredLabJob(idOf(compiled.name), job, compiled, timing, nowMs)
      this.#names.set(compiled.name, stored)
      this.#store.jobs.set(stored.id, stored)
      this.#steering.begin(stored, nowMs)
    }
    this.#wake()
  }

  /** What is planned and has not started is taken back. */
  pause(name: string): void {
    this.#steer(name, (job, nowMs) => this.#steering.pause(job, nowMs))
  }

  /** Slots that passed meanwhile are skipped, in one row. */
  resume(name: string): void {
    this.#steer(name, (job, nowMs) => this.#steering.resume(job, nowMs))
  }

  /** One slot ahead is not to run. */
  skip(name: string, slot: Instant): void {
    const slotMs = instantOf('slot', slot)
    this.#steer(name, (job, nowMs) => {
      if (this.#steering.skip(job, slotMs, nowMs)) return
      const message = `${new Date(slotMs).toISOString()} is not a slot of ${name} that is still ahead.`
      throw new PunctualError('slot_not_found', message, { field: 'slot', id: name })
    })
  }

  #steer(name: string, act: (job: StoredLabJob, nowMs: number) => void): void {
    const job = this.#need(name)
    job.ledger.pack(this.#time.nowMs, this.#availableMs)
    act(job, this.#time.nowMs)
    this.#wake()
  }

  /** From `from` until before `to` nothing is running: no planner, or only not those given, and no worker. */
  outage(from: Instant, to: Instant, only: { planners?: readonly number[] } = {}): void {
    this.#outages.add(instantOf('from', from), instantOf('to', to), only.planners ?? null)
  }

  /** Does something when the clock shows this: pause, resume, skip, upsert. */
  at(when: Instant, action: (lab: ScheduleLab) => void): void {
    this.#actions.add(instantOf('when', when), () => action(this))
  }

  /** Lets time pass. */
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

  /** Planners look when a slot comes near, and then no more often than they do in production. */
  #tickMs(): number | null {
    const { nextMs } = this.#store
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

  /** What the end of a run means for its job. */
  #follow(job: StoredLabJob, nowMs: number): void {
    const most = job.compiled.rules.pauseAfterFailures ?? Number.POSITIVE_INFINITY
    if (job.failures >= most) this.#steering.pause(job, nowMs)
    if (job.kind !== 'after-end') return
    job.anchorMs = nowMs
    job.endedMs = nowMs
    if (!job.paused) job.nextMs ??= nowMs
    this.#wake()
  }

  /** What was decided for the slots of a job, oldest first; those that are planned ahead are the last. */
  ledger(name: string): LabSlot[] {
    return [...this.slots(name)]
  }

  /** The same one by one: a year of seconds is too long a list. */
  *slots(name: string): Generator<LabSlot> {
    for (const entry of this.#need(name).ledger.entries()) yield shown(entry)
  }

  /** How often what was decided, and what became of it: `{ 'run on-time succeeded': 8760 }`. */
  tally(name: string): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { decision, reason, run } of this.#need(name).ledger.entries()) {
      const what = `${decision} ${reason}${run ? ` ${run.outcome ?? 'planned'}` : ''}`
      counts[what] = (counts[what] ?? 0) + 1
    }
    return counts
  }

  /** What is wrong with the ledger up to now: slots without a decision, and with more than one. */
  verify(): LedgerProof {
    return verifyLedger(this.#names.values(), this.#time.nowMs)
  }

  #need(name: string): StoredLabJob {
    const job = this.#names.get(name)
    if (job) return job
    const message = `There is no job ${JSON.stringify(name)} in this lab.`
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

/** Always the same for a name, so that `H` and jitter are, too. */
function idOf(name: string): string {
  let [low, high] = [2_166_136_261, 40_389]
  for (let i = 0; i < name.length; i++) {
    low = Math.imul(low ^ name.charCodeAt(i), 16_777_619) >>> 0
    high = Math.imul(high ^ low, 2_246_822_507) >>> 0
  }
  const hex = (n: number) => n.toString(16).padStart(8, '0')
  return `00000000-0000-7000-8000-${hex(high).slice(0, 4)}${hex(low)}`
}
