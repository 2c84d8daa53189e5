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
import type { Channel } from '../connection/channel.ts'
import type { Database } from '../connection/database.ts'
import { listTimings } from '../plan/statements.gen.ts'
import { zoneData as ownZoneData } from '../schema/zone-data.ts'
import {
  findJobs,
  findRuns,
  type ListJobsRow,
  listJobs,
  listRanges,
  listVersions,
  probeSlots,
  type ScanSlotsRow,
  scanSlots,
} from './statements.gen.ts'

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

export class LedgerProof {
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
    this.#channel = channel
    this.#timings = timings
    database.onNewTimeline.push(() => this.#rules.clear())
  }

  /** Returns jobs by id, after this one; or only the job `only`. */
  async page(after: string | null, limit: number, only: string | null = null): Promise<AuditPage> {
    const call = listJobs(after ?? FIRST_ID, limit, only, this.#zoneData)
    const rows = await this.#channel.runPinned(call)
    await this.#learn(rows.map(({ timing }) => timing))
    const jobs: AuditedJob[] = []
    const cursorMissing: string[] = []
    const jobMissing: string[] = []
    const rulesMissing: string[] = []
    for (const row of rows) {
      const { id, createdMs, version, cursorMs } = row
      const rules = this.#rules.get(row.timing)
      if (createdMs === null) jobMissing.push(id)
      else if (version === null || cursorMs === null) cursorMissing.push(id)
      else if (!rules) rulesMissing.push(id)
      else jobs.push(toAudited({ ...row, createdMs, version, cursorMs }, rules))
    }
    const last = rows.at(-1)
    return {
      nowMs: last?.nowMs ?? 0,
      planning: last?.planning ?? false,
      zonesCurrent: last?.zonesCurrent ?? true,
      jobs,
      cursorMissing,
      jobMissing,
      rulesMissing,
      next: last && rows.length >= limit ? last.id : null,
    }
  }

  /** Reads and caches the rules with these ids; rules never change. */
  async #learn(timings: readonly number[]): Promise<void> {
    const unknown = [...new Set(timings)].filter((timing) => !this.#rules.has(timing))
    if (unknown.length === 0) return
    if (this.#rules.size > RULES_MAX) this.#rules.clear()
    for (const { id, spec } of await this.#channel.runPinned(listTimings(int4Array(unknown))))
      this.#rules.set(id, decodeRules(spec))
  }

  async #versions(jobIds: readonly string[]): Promise<Map<string, JobVersion[]>> {
    if (jobIds.length === 0) return new Map()
    const rows = await this.#channel.runPinned(listVersions(uuidArray(jobIds)))
    await this.#learn(rows.map(({ timing }) => timing))
    const versions = new Map<string, JobVersion[]>()
    for (const { jobId, untilMs, anchorMs, endMs, timing } of rows) {
      const rules = this.#rules.get(timing)
      if (!rules) continue
      const known = versions.get(jobId) ?? []
      known.push({ untilMs, anchorMs, endMs, rules })
      versions.set(jobId, known)
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
    const call = findJobs(uuidArray(checks.map(({ job }) => job.id)))
    const rows = await this.#channel.runPinned(call)
    const versions = new Map(rows.map(({ id, version }) => [id, version]))
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
    let probes: { lookup: Lookup; slotMs: number }[] = []
    const flush = async () => {
      if (probes.length === 0) return
      const call = probeSlots(
        uuidArray(probes.map(({ lookup }) => lookup.sample.job.id)),
        int8ArrayOfNumbers(probes.map(({ slotMs }) => slotMs)),
      )
      for (const { n, fromMs, runId } of await this.#channel.runPinned(call)) {
        const probe = probes[n - 1]
        probe?.lookup.rows.push({ slotMs: probe.slotMs, fromMs: fromMs ?? probe.slotMs, runId })
      }
      probes = []
    }
    for (const lookup of lookups)
      for (const slotMs of lookup.slotsMs) {
        probes.push({ lookup, slotMs })
        if (probes.length >= PROBE) await flush()
      }
    await flush()
    for (const { rows } of lookups) rows.sort((a, b) => a.slotMs - b.slotMs)
  }

  /** Adds rows after the probed slots: such a row may stand for some of these. */
  async #addRanges(open: readonly { lookup: Lookup; holes: readonly number[] }[]): Promise<void> {
    if (open.length === 0) return
    const byId = new Map(open.map(({ lookup }) => [lookup.sample.job.id, lookup]))
    let firstMs = Number.POSITIVE_INFINITY
    let lastMs = Number.NEGATIVE_INFINITY
    for (const { holes } of open) {
      firstMs = Math.min(firstMs, holes[0] ?? firstMs)
      lastMs = Math.max(lastMs, holes.at(-1) ?? lastMs)
    }
    const call = listRanges(uuidArray([...byId.keys()]), firstMs, lastMs)
    for (const { jobId, slotMs, fromMs } of await this.#channel.runPinned(call)) {
      const rows = byId.get(jobId)?.rows
      if (!rows || rows.some((row) => row.slotMs === slotMs)) continue
      rows.push({ slotMs, fromMs, runId: null })
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
      const call = findRuns(uuidArray(runIds.slice(i, i + PROBE)))
      for (const { n, placed, latenessMs } of await this.#channel.runPinned(call))
        places[i + n - 1] = { placed, latenessMs }
    }
    return places
  }

  /** Among the first `limit` rows of a range, those that the rules of their time do not explain. */
  async strays({ fromMs, untilMs, jobId }: ScanRequest, limit: number): Promise<ScannedSlot[]> {
    const after = new Date(fromMs - 1).toISOString()
    const rows = await this.#channel.runPinned(scanSlots(after, LAST_ID, untilMs, limit, jobId))
    return rows.length > 0 ? this.#strays(rows.map(toScanned)) : []
  }

  /** The ledger of a range in the order of its key, with the rows that the rules do not explain. */
  async *scan({ fromMs, untilMs, jobId }: ScanRequest) {
    let after: readonly [string, string] = [new Date(fromMs - 1).toISOString(), LAST_ID]
    for (;;) {
      const rows = await this.#channel.runPinned(scanSlots(...after, untilMs, SCAN, jobId))
      const last = rows.at(-1)
      if (!last) return
      after = [last.slotAt, last.jobId]
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
    const call = probeSlots(
      uuidArray(suspects.map(({ jobId }) => jobId)),
      int8ArrayOfNumbers(suspects.map(({ slotMs }) => slotMs)),
    )
    const found = await this.#channel.runPinned(call)
    return this.#outside(found.flatMap(({ n }) => suspects[n - 1] ?? []))
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
    const [rows, versions] = await Promise.all([
      this.#channel.runPinned(findJobs(uuidArray(jobIds))),
      this.#versions(jobIds),
    ])
    await this.#learn(rows.map(({ timing }) => timing))
    const eras = new Map<string, Era[]>()
    for (const [id, known] of versions) eras.set(id, erasOf(null, known, null))
    for (const { id, timing, createdMs, anchorMs, endMs } of rows) {
      const rules = this.#rules.get(timing)
      if (!rules) continue
      eras.set(id, erasOf(createdMs, versions.get(id) ?? [], { rules, anchorMs, endMs }))
    }
    return eras
  }
}

function match({ sample, slotsMs, rows }: Lookup) {
  return matchSlots(slotsMs, rows, decidedUntil(sample.job), sample.beforeMs ?? null)
}

function restOf({ sample, slotsMs, more, rows }: Lookup): SlotCheck['rest'] {
  const lastMs = slotsMs.at(-1)
  if (!more || lastMs === undefined) return null
  const before = rows.filter(({ slotMs }) => slotMs <= lastMs).at(-1)
  return { ...sample, fromMs: lastMs + 1, beforeMs: before?.slotMs ?? sample.beforeMs ?? null }
}

/** A job that has a cursor. */
interface CompleteRow extends ListJobsRow {
  readonly createdMs: number
  readonly version: number
  readonly cursorMs: number
}

function toAudited(row: CompleteRow, rules: JobRules): AuditedJob {
  const { id, version, createdMs, nextMs, cursorMs, anchorMs, endMs, runsLeft, setAside } = row
  return {
    id,
    rules,
    version,
    createdMs,
    anchorMs,
    endMs,
    runsLeft,
    cursorMs,
    nextMs,
    paused: row.paused === true,
    setAside,
  }
}

function toScanned(row: ScanSlotsRow): ScannedSlot {
  const { jobId, slotMs, slots, decision, reason, runId } = row
  return { jobId, slotMs, fromMs: row.fromMs ?? slotMs, slots, decision, reason, runId }
}
