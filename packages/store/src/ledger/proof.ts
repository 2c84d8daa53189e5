/**
 * Compares the ledger with the rules. The expected slots are computed, and each is looked up by its
 * key; rows that the rules do not explain are found by reading the ledger through. It locks
 * nothing, and holds one page of jobs and one page of slots in memory.
 *
 * It is safe alongside planners: a job's cursor is read before its slots, and slots that a cursor
 * has passed stay decided.
 */
import {
  type AuditedJob,
  decidedUntil,
  decodeRules,
  type Era,
  erasOf,
  expectedSlots,
  isSlotOf,
  type JobRules,
  type JobVersion,
  type LedgerRow,
  matchSlots,
  type SlotReason,
} from '@punctual/core/job'
import type { AuditPage, SlotCheck, SlotSample } from '@punctual/core/ports'
import type { TimingCache } from '@punctual/core/schedule'
import { int4Array, int8ArrayOfNumbers, uuidArray } from '../connection/binary-arrays.ts'
import type { Channel, Row, Value } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import { reasonOf } from '../jobs/rows.ts'
import { zoneData as ownZoneData } from '../schema/zone-data.ts'

/** Whether a run of the ledger exists in some place. */
export interface PlacedRun {
  readonly placed: boolean
  readonly latenessMs: number | null
}

export interface ScannedSlot extends LedgerRow {
  readonly jobId: string
  readonly slots: number
  readonly decision: 'run' | 'skip'
  readonly reason: SlotReason
  readonly runId: string | null
}

export interface ScanRequest {
  readonly fromMs: number
  readonly untilMs: number
  readonly jobId: string | null
}

interface Probed extends LedgerRow {
  readonly runId: string | null
}

interface Lookup {
  readonly sample: SlotSample
  readonly slotsMs: readonly number[]
  readonly more: boolean
  readonly rows: Probed[]
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const PROBE = 5_000
const SCAN = 5_000
const RULES_MAX = 200_000
/** How often a job that was edited meanwhile is checked again. */
const CONFIRM_MAX = 3

const ms = (text: string | null | undefined) =>
  text === null || text === undefined ? null : Number(text)

export class LedgerProof {
  readonly #database: Database
  readonly #channel: Channel
  readonly #timings: TimingCache
  readonly #zoneData: string
  readonly #rules = new Map<number, JobRules>()

  constructor(
    database: Database,
    channel: Channel,
    timings: TimingCache,
    zoneData: string = ownZoneData,
  ) {
    this.#zoneData = zoneData
    this.#database = database
    this.#channel = channel
    this.#timings = timings
    database.onNewTimeline.push(() => this.#rules.clear())
  }

  #run(path: string, values: readonly Value[]): Promise<Row[]> {
    return this.#channel.pinnedOne(this.#database.statement(path), values)
  }

  /** Returns jobs by id, after this one; or only the job `only`. */
  async page(after: string | null, limit: number, only: string | null = null): Promise<AuditPage> {
    const rows = await this.#run('ledger/list-jobs', [
      after ?? FIRST_ID,
      limit,
      only,
      this.#zoneData,
    ])
    await this.#learn(rows.map((row) => Number(row[4])))
    const last = rows.at(-1)
    const page = {
      ...{ nowMs: Number(last?.[14] ?? 0), planning: last?.[15] === 't' },
      zonesCurrent: last?.[16] !== 'f',
      ...{ jobs: [] as AuditedJob[], cursorMissing: [] as string[], jobMissing: [] as string[] },
      ...{ rulesMissing: [] as string[], next: rows.length < limit ? null : (last?.[0] ?? null) },
    }
    for (const row of rows) {
      const id = row[0] as string
      const rules = this.#rules.get(Number(row[4]))
      if (row[1] !== 't') page.jobMissing.push(id)
      else if (row[2] !== 't') page.cursorMissing.push(id)
      else if (!rules) page.rulesMissing.push(id)
      else page.jobs.push(toAudited(row, rules))
    }
    return page
  }

  /** Reads and caches the rules with these ids; rules never change. */
  async #learn(timings: readonly number[]): Promise<void> {
    const unknown = [...new Set(timings)].filter((timing) => !this.#rules.has(timing))
    if (unknown.length === 0) return
    if (this.#rules.size > RULES_MAX) this.#rules.clear()
    for (const [id, spec] of await this.#run('plan/list-timings', [int4Array(unknown)]))
      this.#rules.set(Number(id), decodeRules(spec as string))
  }

  async #versions(jobIds: readonly string[]): Promise<Map<string, JobVersion[]>> {
    if (jobIds.length === 0) return new Map()
    const rows = await this.#run('ledger/list-versions', [uuidArray(jobIds)])
    await this.#learn(rows.map(([, , , , timing]) => Number(timing)))
    const versions = new Map<string, JobVersion[]>()
    for (const [id, untilMs, anchorMs, endMs, timing] of rows) {
      const rules = this.#rules.get(Number(timing))
      if (!rules) continue
      const known = versions.get(id as string) ?? []
      known.push({ untilMs: Number(untilMs), anchorMs: ms(anchorMs), endMs: ms(endMs), rules })
      versions.set(id as string, known)
    }
    return versions
  }

  /** See `checkSlots` of the port. */
  async check(samples: readonly SlotSample[], runs: boolean): Promise<SlotCheck[]> {
    let checks = await this.#check(samples, runs)
    for (let again = 0; again < CONFIRM_MAX; again++) {
      const doubtful = await this.#changed(checks.filter((check) => check.holes.length > 0))
      if (doubtful.size === 0) return checks
      const fresh: SlotSample[] = []
      for (const sample of samples)
        if (doubtful.has(sample.job.id))
          for (const job of (await this.page(null, 1, sample.job.id)).jobs)
            fresh.push({ ...sample, job })
      const sure = checks.filter(({ job }) => !doubtful.has(job.id))
      checks = [...sure, ...(await this.#check(fresh, runs))]
    }
    const doubtful = await this.#changed(checks.filter((check) => check.holes.length > 0))
    return checks.filter(({ job }) => !doubtful.has(job.id))
  }

  /**
   * Returns the jobs among these that were edited while their slots were read: an edit that began
   * before a slot may commit after it, and withdraws the slot's decision.
   */
  async #changed(checks: readonly SlotCheck[]): Promise<ReadonlySet<string>> {
    if (checks.length === 0) return new Set()
    const rows = await this.#run('ledger/find-jobs', [uuidArray(checks.map(({ job }) => job.id))])
    const versions = new Map(rows.map((row) => [row[0], Number(row[5])]))
    const changed = checks.filter(({ job }) => versions.get(job.id) !== job.version)
    return new Set(changed.map(({ job }) => job.id))
  }

  async #check(samples: readonly SlotSample[], runs: boolean): Promise<SlotCheck[]> {
    const edited = samples.filter(({ job }) => job.version > 1).map(({ job }) => job.id)
    const versions = await this.#versions(edited)
    const lookups: Lookup[] = []
    for (const sample of samples) {
      const { job } = sample
      const eras = erasOf(job.createdMs, versions.get(job.id) ?? [], job)
      const { slotsMs, more } = expectedSlots(job.id, eras, this.#timings, sample)
      if (slotsMs.length > 0) lookups.push({ sample, slotsMs, more, rows: [] })
    }
    await this.#probe(lookups)
    const matched = lookups.map((lookup) => ({ lookup, match: match(lookup) }))
    await this.#addRanges(
      matched.flatMap(({ lookup, match: { holes } }) =>
        holes.length > 0 ? [{ lookup, holes }] : [],
      ),
    )
    const lost = runs ? await this.#lostRuns(lookups) : new Map<string, never>()
    return matched.map(({ lookup, match: first }) => ({
      ...(first.holes.length > 0 ? match(lookup) : first),
      job: lookup.sample.job,
      rest: restOf(lookup),
      lost: lost.get(lookup.sample.job.id) ?? [],
    }))
  }

  async #probe(lookups: readonly Lookup[]): Promise<void> {
    let jobs: string[] = []
    let slots: number[] = []
    let into: Lookup[] = []
    const flush = async () => {
      if (slots.length === 0) return
      const rows = await this.#run('ledger/probe-slots', [
        uuidArray(jobs),
        int8ArrayOfNumbers(slots),
      ])
      for (const [n, fromMs, runId] of rows) {
        const at = Number(n) - 1
        const slotMs = slots[at] as number
        into[at]?.rows.push({ slotMs, fromMs: ms(fromMs) ?? slotMs, runId: runId ?? null })
      }
      jobs = []
      slots = []
      into = []
    }
    for (const lookup of lookups)
      for (const slotMs of lookup.slotsMs) {
        jobs.push(lookup.sample.job.id)
        slots.push(slotMs)
        into.push(lookup)
        if (slots.length >= PROBE) await flush()
      }
    await flush()
    for (const { rows } of lookups) rows.sort((a, b) => a.slotMs - b.slotMs)
  }

  /** Adds rows after the probed slots: such a row may stand for some of these. */
  async #addRanges(open: readonly { lookup: Lookup; holes: readonly number[] }[]): Promise<void> {
    if (open.length === 0) return
    const byId = new Map(open.map(({ lookup }) => [lookup.sample.job.id, lookup]))
    const firstMs = Math.min(...open.map(({ holes }) => holes[0] as number))
    const lastMs = Math.max(...open.map(({ holes }) => holes.at(-1) as number))
    const values = [uuidArray([...byId.keys()]), firstMs, lastMs]
    for (const [id, slot, from] of await this.#run('ledger/list-ranges', values)) {
      const rows = byId.get(id as string)?.rows
      const slotMs = Number(slot)
      if (!rows || rows.some((row) => row.slotMs === slotMs)) continue
      rows.push({ slotMs, fromMs: Number(from), runId: null })
      rows.sort((a, b) => a.slotMs - b.slotMs)
    }
  }

  async #lostRuns(lookups: readonly Lookup[]) {
    const lost = new Map<string, { runId: string; slotMs: number }[]>()
    const found = lookups.flatMap(({ sample, rows }) =>
      rows.flatMap(({ runId, slotMs }) => (runId ? [{ id: sample.job.id, runId, slotMs }] : [])),
    )
    const placed = await this.placesOf(found.map(({ runId }) => runId))
    for (const [i, { id, runId, slotMs }] of found.entries())
      if (!placed[i]?.placed) lost.set(id, [...(lost.get(id) ?? []), { runId, slotMs }])
    return lost
  }

  /** The places of runs, in the order given. */
  async placesOf(runIds: readonly string[]): Promise<PlacedRun[]> {
    const places: PlacedRun[] = []
    for (let i = 0; i < runIds.length; i += PROBE) {
      const rows = await this.#run('ledger/find-runs', [uuidArray(runIds.slice(i, i + PROBE))])
      for (const [n, placed, , latenessMs] of rows)
        places[i + Number(n) - 1] = { placed: placed === 't', latenessMs: ms(latenessMs) }
    }
    return places
  }

  /** Among the first `limit` rows of a range, those that the rules of their time do not explain. */
  async strays({ fromMs, untilMs, jobId }: ScanRequest, limit: number): Promise<ScannedSlot[]> {
    const values = [new Date(fromMs - 1).toISOString(), LAST_ID, untilMs, limit, jobId]
    const rows = await this.#run('ledger/scan-slots', values)
    return rows.length > 0 ? this.#strays(rows.map(toScanned)) : []
  }

  /** The ledger of a range in the order of its key, with the rows that the rules do not explain. */
  async *scan({ fromMs, untilMs, jobId }: ScanRequest) {
    let after: readonly [string, string] = [new Date(fromMs - 1).toISOString(), LAST_ID]
    for (;;) {
      const rows = await this.#run('ledger/scan-slots', [...after, untilMs, SCAN, jobId])
      const last = rows.at(-1)
      if (!last) return
      after = [last[0] as string, last[1] as string]
      const slots = rows.map(toScanned)
      yield { slots, strays: await this.#strays(slots) }
      if (rows.length < SCAN) return
    }
  }

  /**
   * Reads jobs after their slots, so that decisions of new rules are checked against these rules.
   * Slots that were withdrawn between the two reads are gone at the second one.
   */
  async #strays(slots: readonly ScannedSlot[]): Promise<ScannedSlot[]> {
    const suspects = await this.#outside(slots)
    if (suspects.length === 0) return []
    const values = [
      uuidArray(suspects.map(({ jobId }) => jobId)),
      int8ArrayOfNumbers(suspects.map(({ slotMs }) => slotMs)),
    ]
    const found = await this.#run('ledger/probe-slots', values)
    return this.#outside(found.map(([n]) => suspects[Number(n) - 1] as ScannedSlot))
  }

  /** The slots that the rules of their time do not have. */
  async #outside(slots: readonly ScannedSlot[]): Promise<ScannedSlot[]> {
    const eras = await this.#erasOf([...new Set(slots.map(({ jobId }) => jobId))])
    return slots.filter((slot) => {
      const known = eras.get(slot.jobId)
      return !known || !isSlotOf(slot.jobId, known, this.#timings, slot.slotMs)
    })
  }

  async #erasOf(jobIds: readonly string[]): Promise<Map<string, Era[]>> {
    const ids = uuidArray(jobIds)
    const [rows, versions] = await Promise.all([
      this.#run('ledger/find-jobs', [ids]),
      this.#versions(jobIds),
    ])
    await this.#learn(rows.map(([, timing]) => Number(timing)))
    const eras = new Map<string, Era[]>()
    for (const [id, known] of versions) eras.set(id, erasOf(null, known, null))
    for (const [id, timing, createdMs, anchorMs, endMs] of rows) {
      const rules = this.#rules.get(Number(timing))
      if (!rules) continue
      const now = { rules, anchorMs: ms(anchorMs), endMs: ms(endMs) }
      eras.set(id as string, erasOf(Number(createdMs), versions.get(id as string) ?? [], now))
    }
    return eras
  }
}

function match({ sample, slotsMs, rows }: Lookup) {
  return matchSlots(slotsMs, rows, decidedUntil(sample.job), sample.beforeMs ?? null)
}

function restOf({ sample, slotsMs, more, rows }: Lookup): SlotCheck['rest'] {
  if (!more) return null
  const lastMs = slotsMs.at(-1) as number
  const before = rows.filter(({ slotMs }) => slotMs <= lastMs).at(-1)
  return { ...sample, fromMs: lastMs + 1, beforeMs: before?.slotMs ?? sample.beforeMs ?? null }
}

function toAudited(row: Row, rules: JobRules): AuditedJob {
  const [id, , , , , version, createdMs, nextMs, cursorMs, anchorMs, endMs, left] = row
  return {
    id: id as string,
    rules,
    version: Number(version),
    createdMs: Number(createdMs),
    nextMs: ms(nextMs),
    cursorMs: Number(cursorMs),
    anchorMs: ms(anchorMs),
    endMs: ms(endMs),
    runsLeft: ms(left),
    paused: row[12] === 't',
    setAside: row[13] === 't',
  }
}

function toScanned(row: Row): ScannedSlot {
  const [, jobId, slot, fromMs, slots, decision, reason, runId] = row
  const slotMs = Number(slot)
  return {
    jobId: jobId as string,
    slotMs,
    fromMs: ms(fromMs) ?? slotMs,
    slots: Number(slots),
    decision: decision === '1' ? 'run' : 'skip',
    reason: reasonOf.get(Number(reason)) ?? 'on-time',
    runId: runId ?? null,
  }
}
