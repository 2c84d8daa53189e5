/**
 * Applies the same step to PostgreSQL and to the store in memory. Ids and fences are equal on both
 * sides: the values of the server are handed to the memory. Times are the server's, which runs on
 * this machine.
 */
import { encodeJson } from '@punctual/core/check'
import {
  compileJob,
  type DueJob,
  type JobOptions,
  type Overlap,
  type PlannedJob,
} from '@punctual/core/job'
import type { ClaimedRun, LaneYield, Settlement } from '@punctual/core/ports'
import { compileOptions, makeSubmission, type SubmitOptions } from '@punctual/core/submit'
import { systemClock, systemRandom } from '@punctual/store'
import { type CursorRow, MemoryStore, type StoreMutant } from '@punctual/store/memory'
import type { TestStore } from '@punctual/testkit'
import { expect } from 'vitest'
import { flowFields, gateOf } from '../../src/submit/flow-keys.ts'
import { pictureOf, pictureOfMemory } from './picture.ts'

const HOUR_MS = 3_600_000
const HORIZON_MS = 60_000
const WORKERS = 3
export const OVERLAPS: readonly Overlap[] = [
  ...(['allow', 'skip', 'queue-one', 'queue-all'] as const),
  ...(['cancel-previous', 'terminate-previous'] as const),
]
const EMPTIED = [
  ...['runs', 'later', 'queue', 'leases', 'outcomes', 'attempts', 'live_keys', 'sessions'],
  ...['dead_letters', 'parked', 'job_holds', 'triggers', 'slots', 'stale_settles', 'checkpoints'],
  ...['jobs', 'cursors', 'pauses', 'gated', 'rates', 'rate_starts', 'limits'],
  'job_versions',
]

export class Twins {
  readonly t: TestStore
  readonly memory: MemoryStore
  readonly sessions: string[] = []
  readonly held: ClaimedRun[][] = []
  readonly runs: string[] = []
  readonly jobs: string[] = []
  readonly #slotRuns = new Map<string, string>()
  readonly #planned: PlannedJob[] = []

  constructor(t: TestStore, mutants: ReadonlySet<StoreMutant>) {
    this.t = t
    this.memory = new MemoryStore({
      ...{ clock: systemClock, random: systemRandom, horizonMs: HORIZON_MS, mutants },
      nextId: (_, jobId, slotMs) => this.#slotRuns.get(`${slotMs} ${jobId}`) ?? 'no such run',
    })
  }

  static async open(t: TestStore, mutants: ReadonlySet<StoreMutant> = new Set()): Promise<Twins> {
    await t.sql.query(EMPTIED.map((table) => `delete from punctual.${table}`).join('; '))
    const twins = new Twins(t, mutants)
    for (const overlap of OVERLAPS)
      await t.job({ name: overlap, every: '1h', overlap, maxAttempts: 2 })
    const concurrency = { key: 'a', limit: 2 }
    await t.job({ name: 'gated', every: '1h', overlap: 'queue-all', concurrency })
    await t.job({ name: 'after end', everyAfterEnd: '1h', overlap: 'skip', pauseAfterFailures: 9 })
    // Lanes are created on first use.
    for (const priority of [5, 9]) await t.store.lanes.intern({ ...LANE, priority })
    await twins.#copyJobs()
    for (let i = 0; i < WORKERS; i++) await twins.session(i)
    await twins.compare()
    return twins
  }

  /** Keeps two steps out of one millisecond, so that the order of what they queue is defined. */
  async pass(): Promise<void> {
    const nowMs = systemClock.wallMs()
    // waits: for the clock of both stores to advance by itself
    while (systemClock.wallMs() <= nowMs) await systemClock.sleep(1)
  }

  async compare(): Promise<void> {
    const { db } = this.memory
    expect(pictureOfMemory(db)).toEqual(await pictureOf(this.t))
    await this.#copyCursors()
  }

  async #copyJobs(): Promise<void> {
    const { db } = this.memory
    const { rows } = await this.t.sql.query(
      'select j.*, (extract(epoch from created_at) * 1000)::float8 as created_ms, t.spec from punctual.jobs j join punctual.timings t on t.id = j.timing',
    )
    const lanes = await this.t.sql.query('select * from punctual.lanes')
    const cursors = await this.#cursors()
    db.transact(() => {
      for (const { id, tenant_id: tenantId, queue, handler, priority } of lanes.rows)
        db.lanes.insert(`${tenantId} ${queue} ${handler} ${priority}`, {
          ...{ id, tenantId, queue, handler, priority },
        })
      for (const row of rows) {
        this.jobs.push(row.id)
        db.timings.set(String(row.timing), row.spec)
        db.jobs.insert(row.id, {
          ...{ id: row.id, name: row.name, createdMs: Math.floor(row.created_ms), tenantId: 1 },
          ...{ lane: row.lane, timing: row.timing, timeoutMs: row.timeout_ms },
          ...{ maxAttempts: row.max_attempts, traits: row.traits, payload: row.payload },
          ...{ policy: row.policy, planningError: null, startMs: null, maxRuns: row.max_runs },
          flow: row.flow && flowFields(1, row.flow),
        })
      }
      for (const cursor of cursors) db.cursors.insert(cursor.jobId, cursor)
    })
    this.jobs.sort()
  }

  async #cursors(): Promise<CursorRow[]> {
    const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`
    const { rows } = await this.t.sql.query(
      `select *, ${ms('next_at')} as next_ms, ${ms('cursor_at')} as cursor_ms, ${ms('anchor_at')} as anchor_ms,
         ${ms('end_at')} as end_ms from punctual.cursors`,
    )
    return rows.map((row) => ({
      ...{ jobId: row.job_id, tenantId: 1, shard: row.shard, timing: row.timing },
      ...{ version: row.version, nextMs: row.next_ms, cursorMs: row.cursor_ms },
      ...{ anchorMs: row.anchor_ms, endMs: row.end_ms, runsLeft: row.runs_left },
      ...{ failures: row.failures, paused: row.paused },
    }))
  }

  /** An end that rearms a job uses its server's time, so the cursors are copied. */
  async #copyCursors(): Promise<void> {
    const cursors = await this.#cursors()
    this.memory.db.transact(() => {
      for (const cursor of cursors) this.memory.db.cursors.set(cursor.jobId, cursor)
    })
  }

  async session(worker: number): Promise<void> {
    const leaseMs = 30_000
    const id = await this.t.session(leaseMs)
    await this.memory.work.openSession({ id, leaseMs } as Parameters<
      typeof this.memory.work.openSession
    >[0])
    this.sessions[worker] = id
    this.held[worker] ??= []
  }

  async submit(options: SubmitOptions): Promise<void> {
    const submission = makeSubmission(compileOptions('test', options), encodeJson({ n: 1 }))
    const [accepted] = await this.t.store.submit([submission])
    const id = accepted?.created ? accepted.id : undefined
    const { submitter } = this.memory.client
    expect(await submitter.submit(await submitter.prepare(submission, id))).toEqual(accepted)
    if (id) this.runs.push(id)
    // Releases of the submission itself have taken place once this has.
    const { concurrency } = submission.flow ?? {}
    const gate = submission.flow && concurrency ? gateOf(1, submission.flow) : null
    if (gate !== null) await this.both(({ work }) => work.releaseGates([gate]))
  }

  /** Declares a job again, or for the first time after it was deleted. */
  async declare(options: JobOptions): Promise<void> {
    const job = compileJob(options, { timezone: 'UTC', jitterMs: 0 })
    const [theirs] = await this.t.store.schedules.jobs.upsert([job], 1)
    const { rows } = await this.t.sql.query('select id, spec from punctual.timings')
    const { db, client } = this.memory
    db.transact(() => {
      for (const { id, spec } of rows) db.timings.set(String(id), spec)
    })
    await this.#learnSlots()
    expect(await client.jobs.upsert(job, theirs?.id)).toEqual(theirs)
    if (theirs?.change === 'created') this.jobs.push(theirs.id)
  }

  async steer(pick: number, how: 'pause' | 'resume' | 'delete'): Promise<void> {
    const id = this.jobs[pick % Math.max(1, this.jobs.length)]
    if (!id) return
    const { steering } = this.t.store.schedules
    const theirs = await (how === 'pause' ? steering.pause(id, null, 1) : steering[how](id, 1))
    await this.#learnSlots()
    expect(await this.memory.client.jobs[how](id)).toBe(theirs)
    if (how === 'delete') this.jobs.splice(this.jobs.indexOf(id), 1)
  }

  async trigger(job: number): Promise<void> {
    const jobId = this.jobs[job % Math.max(1, this.jobs.length)]
    if (!jobId) return
    const id = await this.t.store.schedules.steering.trigger(jobId, null, 1)
    await this.memory.client.jobs.trigger(jobId, id)
    this.runs.push(id)
  }

  async claim(worker: number, limit: number): Promise<void> {
    const request = {
      sessionId: this.sessions[worker] as string,
      fence: systemRandom.token(),
      limit,
    }
    const lanes = await this.t.lanes()
    expect(await this.memory.work.lanes(['test', 'other'], [])).toEqual(lanes)
    const weights = lanes.map((_, i) => 1 + ((limit + i) % 3))
    const theirs = await this.t.store.work.claim({ ...request, lanes, weights })
    const ours = await this.memory.work.claim({ ...request, lanes, weights })
    // Runs due in one store are due in the other; the next due time is exact to the millisecond.
    const { nextDueInMs: theirNext, parked: theirParked, gave: theyGave, ...answer } = theirs
    const { nextDueInMs: ourNext, parked: ourParked, gave, ...mine } = ours
    expect(withoutTimes(mine)).toEqual(withoutTimes(answer))
    const byLane = (a: LaneYield, b: LaneYield) => a.lane - b.lane
    expect(gave.toSorted(byLane)).toMatchObject(
      theyGave.toSorted(byLane).map(({ lane, runs, full }) => ({ lane, runs, full })),
    )
    expect(ourParked.toSorted()).toEqual(theirParked.toSorted())
    expect(ourNext === null).toBe(theirNext === null)
    this.held[worker]?.push(...theirs.runs)
  }

  async settle(worker: number, settlements: readonly Settlement[]): Promise<void> {
    const session = this.sessions[worker] as string
    const theirs = await this.t.store.work.settle(session, settlements)
    const ours = await this.memory.work.settle(session, settlements)
    expect(ours.toSorted()).toEqual(theirs.toSorted())
  }

  /** Makes the same call on both stores and expects equal answers. */
  async both<T>(ask: (store: Pick<MemoryStore, 'work' | 'upkeep' | 'audit'>) => Promise<T>) {
    const { work, upkeep, schedules } = this.t.store
    const theirs = await ask({ work, upkeep, audit: schedules.audit } as unknown as MemoryStore)
    expect(plain(await ask(this.memory))).toEqual(plain(theirs))
    return theirs
  }

  async die(worker: number): Promise<void> {
    const id = this.sessions[worker] as string
    await this.t.expire(id)
    const { db } = this.memory
    db.transact(() => {
      const session = db.sessions.get(id)
      if (session) db.sessions.set(id, { ...session, expiresMs: 0 })
    })
    const expired = await this.both(
      async ({ upkeep }) => (await upkeep.expiredSessions()).sessionIds,
    )
    await this.both(({ upkeep }) => upkeep.reap(expired, 3))
    await this.session(worker)
  }

  async cancel(pick: number): Promise<void> {
    const id = this.runs[pick % Math.max(1, this.runs.length)]
    if (!id) return
    const theirs = (await this.t.store.steering.cancel([id], 'asked')).get(id) ?? null
    expect(await this.memory.client.runs.cancel(id, 'asked')).toBe(theirs)
  }

  async reschedule(pick: number, far: boolean): Promise<void> {
    const id = this.runs[pick % Math.max(1, this.runs.length)]
    if (!id) return
    const dueMs = systemClock.wallMs() + (far ? HOUR_MS : 0)
    const theirs = (await this.t.store.steering.reschedule([id], dueMs)).has(id)
    expect(await this.memory.client.runs.reschedule(id, dueMs)).toBe(theirs)
  }

  async hasten(pick: number): Promise<void> {
    const id = this.#runAt(pick)
    if (!id) return
    const theirs = (await this.t.store.steering.reschedule([id], null)).has(id)
    expect(await this.memory.client.runs.reschedule(id, null)).toBe(theirs)
  }

  async reprioritise(pick: number, priority: number): Promise<void> {
    const id = this.#runAt(pick)
    if (!id) return
    const theirs = (await this.t.store.steering.reprioritise([id], priority)).has(id)
    expect(await this.memory.client.runs.reprioritise(id, priority)).toBe(theirs)
  }

  async edit(pick: number, payload: string): Promise<void> {
    const id = this.#runAt(pick)
    if (!id) return
    const theirs = (await this.t.store.steering.edit([id], payload)).has(id)
    expect(await this.memory.client.runs.edit(id, payload)).toBe(theirs)
  }

  /** Replays a dead letter, or a run that is none. */
  async replay(pick: number, payload: string | null, fromCheckpoint: boolean): Promise<void> {
    const dead = this.memory.db.deadLetters.values().map(({ runId }) => runId)
    const id = dead[pick % Math.max(1, dead.length)] ?? this.#runAt(pick)
    if (!id) return
    const options = { note: null, by: null, fromCheckpoint }
    const { deadLetterSteering } = this.t.store
    const [theirs] = await deadLetterSteering.replay([{ id, payload }], options, 1)
    const newId = theirs?.result === 'replayed' ? theirs.id : 'no such run'
    const ours = await this.memory.client.deadLetters.replay({ id, newId, payload, fromCheckpoint })
    expect(ours).toBe(theirs?.result)
    if (theirs?.result === 'replayed') this.runs.push(newId)
  }

  async discard(pick: number): Promise<void> {
    const dead = this.memory.db.deadLetters.values().map(({ runId }) => runId)
    const id = dead[pick % Math.max(1, dead.length)]
    if (!id) return
    const by = { note: null, by: null }
    const theirs = (await this.t.store.deadLetterSteering.discard([id], by, 1)).has(id)
    expect(await this.memory.client.deadLetters.discard(id)).toBe(theirs)
  }

  #runAt(pick: number): string | undefined {
    return this.runs[pick % Math.max(1, this.runs.length)]
  }

  /** Decides the next slot of a job that exists in both stores, and records the plan. */
  async plan(pick: number, how: 'run' | 'late' | 'skip' | 'again'): Promise<void> {
    const request = { shards: allShards, fromMs: 0, untilMs: FAR_MS, limit: 1_000 }
    const theirs = await this.t.store.schedules.plan.dueJobs(request)
    const ours = await this.memory.plan.dueJobs(request)
    const byId = (jobs: readonly DueJob[]) => jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(byId(ours)).toEqual(byId(theirs))
    const job = byId(theirs)[pick % Math.max(1, theirs.length)]
    const old = this.#planned[pick % Math.max(1, this.#planned.length)]
    const plan = how === 'again' ? old : job && planOf(job, how)
    if (!plan) return
    const refused = async () => expect.unreachable('none of these plans is refused')
    const accepted = await this.t.store.schedules.plan.plan([plan], refused)
    await this.#learnSlots()
    expect(await this.memory.plan.plan([plan])).toBe(accepted)
    this.#planned.push(plan)
  }

  async #learnSlots(): Promise<void> {
    const { rows } = await this.t.sql.query(
      'select (extract(epoch from slot_at) * 1000)::float8 as ms, job_id, run_id from punctual.slots where run_id is not null',
    )
    for (const { ms, job_id: jobId, run_id: runId } of rows) {
      if (this.#slotRuns.has(`${ms} ${jobId}`)) continue
      this.#slotRuns.set(`${ms} ${jobId}`, runId)
      this.runs.push(runId)
    }
  }

  /** Moves distant runs most of an hour closer, so that they enter the horizon. */
  async promote(limit: number): Promise<void> {
    const byMs = HOUR_MS - HORIZON_MS / 2
    await this.t.sql.query(
      `update punctual.later set due_at = due_at - $1::bigint * interval '1 millisecond'
       where due_at > clock_timestamp() + interval '10 minutes'`,
      [byMs],
    )
    const { db } = this.memory
    db.transact(() => {
      for (const row of db.later.values())
        if (row.dueMs > db.nowMs + 600_000)
          db.later.set(row.runId, { ...row, dueMs: row.dueMs - byMs })
    })
    await this.both(async ({ upkeep }) => (await upkeep.promote(HORIZON_MS, limit)).promoted)
  }

  /** Sets the limits of a queue, or with null those of all queues; without limits, removes them. */
  async limit(queue: string | null, concurrency: number | null, burst: number | null) {
    const { queues } = this.memory.client
    if (concurrency === null && burst === null) {
      await this.t.store.limits.remove(queue)
      return queues.removeLimits(queue)
    }
    const rate = burst === null ? null : { limit: 1, perMs: HOUR_MS, burst }
    const limits = { concurrency, rate, ageingMs: null, weight: null }
    await this.t.store.limits.set(queue, limits, null)
    await queues.setLimits(queue, limits)
  }

  /** Moves the starts of rates closer; those that are due now keep their order. */
  async wait(ms: number): Promise<void> {
    await this.t.sql.query(`
      update punctual.rates set next_us = next_us - ${ms * 1_000};
      update punctual.rate_starts set used_us = used_us - ${ms * 1_000};
      update punctual.gated set booked_us = booked_us - ${ms * 1_000};
      update punctual.limits set next_us = next_us - ${ms * 1_000} where next_us > 0;
      with now as (select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms)
      update punctual.queue q set pos = case
        when o.pos - (${ms}::bigint << 20) > now.ms << 20 then o.pos - (${ms}::bigint << 20)
        else (now.ms << 20) + o.n end
      from now, (
        select run_id, pos, row_number() over (order by pos, run_id) as n from punctual.queue, now
        where pos >> 20 > now.ms) o
      where o.run_id = q.run_id`)
    const { db } = this.memory
    db.transact(() => {
      for (const [rate, us] of db.rates.entries()) db.rates.set(rate, us - ms * 1_000)
      for (const [rate, us] of db.rateStarts.entries()) db.rateStarts.set(rate, us - ms * 1_000)
      for (const [name, row] of db.limits.entries())
        if (row.nextUs > 0) db.limits.set(name, { ...row, nextUs: row.nextUs - ms * 1_000 })
      for (const row of db.gated.values())
        if (row.bookedUs !== null)
          db.gated.set(row.runId, { ...row, bookedUs: row.bookedUs - ms * 1_000 })
      const ahead = db.queue.values().filter(({ posMs }) => posMs > db.nowMs)
      ahead.sort((a, b) => a.posMs - b.posMs || a.seq - b.seq || (a.runId < b.runId ? -1 : 1))
      ahead.forEach((row, n) => {
        const posMs = Math.max(row.posMs - ms, db.nowMs)
        const seq = posMs === db.nowMs ? n + 1 : row.seq
        db.queue.set(row.runId, { ...row, posMs, seq })
      })
    })
  }

  /** Bookings that move to the next second are due afterwards. */
  async closeGaps(): Promise<void> {
    await this.both(({ upkeep }) => upkeep.closeRateGaps())
    await this.wait(2_000)
  }

  async pause(queue: string | null, on: boolean): Promise<void> {
    const where = queue === null ? 'queue is null' : `queue = '${queue}'`
    await this.t.sql.query(`delete from punctual.pauses where ${where}`)
    if (on)
      await this.t.sql.query(
        'insert into punctual.pauses (tenant_id, paused_at, queue) values (1, clock_timestamp(), $1)',
        [queue],
      )
    const { db } = this.memory
    db.transact(() => {
      if (on) db.pauses.set(queue ?? '*', queue ?? '*')
      else db.pauses.delete(queue ?? '*')
    })
  }

  async drain(worker: number, on: boolean): Promise<void> {
    const id = this.sessions[worker] as string
    const at = on ? 'clock_timestamp()' : 'null'
    await this.t.sql.query(`update punctual.sessions set drain_asked_at = ${at} where id = $1`, [
      id,
    ])
    await this.memory.work.askToDrain(id, on)
    await this.both(({ work }) => work.renewSession(id))
  }
}

const LANE = { tenantId: 1, queue: 'default', handler: 'test' }
const FAR_MS = Date.UTC(2100, 0, 1)
const allShards = Array.from({ length: 256 }, (_, shard) => shard)

function planOf(job: DueJob, how: 'run' | 'late' | 'skip'): PlannedJob {
  const { nextMs, runsLeft, anchorMs } = job
  const slot = { slotMs: nextMs, fromMs: nextMs, slots: 1 }
  const decision =
    how === 'skip'
      ? ({ ...slot, decision: 'skip', reason: 'misfire' } as const)
      : ({
          ...slot,
          decision: 'run',
          reason: how === 'late' ? 'late' : 'on-time',
          dueMs: 1,
        } as const)
  const afterEnd = anchorMs === null || anchorMs === nextMs
  return {
    ...{ job, decisions: [decision], runsLeft, computed: !afterEnd },
    ...(afterEnd ? { nextMs: null, anchorMs: null } : { nextMs: nextMs + HOUR_MS, anchorMs }),
  }
}

/** Removes due times: they come from the server that created the run. */
function withoutTimes({ runs, ...rest }: { runs: readonly ClaimedRun[] }) {
  return { ...rest, runs: runs.map(({ dueMs: _, ...run }) => run) }
}

/** Converts maps and sets to sorted lists. */
function plain(answer: unknown): unknown {
  if (answer instanceof Map) return [...answer].map(([key, value]) => `${key} ${value}`).sort()
  if (answer instanceof Set) return [...answer].sort()
  if (Array.isArray(answer)) return answer.map(plain).map(asText).sort()
  return answer
}

const asText = (value: unknown) =>
  JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? String(v) : v))
