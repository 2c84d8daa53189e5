/**
 * Reads the ledger of a job. It does not search for slots: the expected ones are computed, by the
 * rules of their time, and each is looked up. An expected slot without a decision is returned as
 * such.
 */
import { COUNT_MAX, decodeRules, type JobRules, nextSlotOf, type Slot } from '@punctual/core/job'
import type { TimingCache } from '@punctual/core/schedule'
import { int8ArrayOfNumbers } from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import type { StoredJob } from '../jobs/rows.ts'
import { covers, findCovering } from './covering-slot.ts'
import { listFollowedSlots, listJobVersions, listSlots } from './statements.gen.ts'

/** An expected slot and its decision; null when it has none. */
export interface ExpectedSlot {
  readonly slotMs: number
  readonly slot: Slot | null
}

/** A slot, and up to where its decision was searched without a result, when more is left. */
export interface FoundSlot extends ExpectedSlot {
  readonly searchedMs: number | null
}

/** Where a page of slots begins. */
export interface SlotPosition {
  readonly fromMs: number
  /** No decision lies between `fromMs` and this instant; 0 when that is unknown. */
  readonly aheadMs: number
}

export interface PageOfSlots {
  readonly slots: readonly ExpectedSlot[]
  /** Null after the last page. */
  readonly next: SlotPosition | null
}

/** The decision that was found; or the last slot that was searched, when more are left. */
interface Search {
  readonly slot: Slot | null
  readonly searchedMs: number | null
}

/** A period in which a job had the same rules. */
interface Era {
  readonly untilMs: number
  readonly rules: JobRules
  readonly anchorMs: number | null
  readonly endMs: number | null
}

const PROBE = 1_000
/** Slots that are read at each step of a search that skips ahead. */
const PART = 100
/** The parts that a page reads to find one decision. */
const PARTS_MAX = 10
const FAR_MS = Date.UTC(2200, 0, 1)

export class SlotReader {
  readonly #database: Database
  readonly #timings: TimingCache

  constructor(database: Database, timings: TimingCache) {
    this.#database = database
    this.#timings = timings
  }

  /** Slots of [fromMs, untilMs], oldest first, `limit` at most. */
  async slots(
    job: StoredJob,
    fromMs: number,
    untilMs: number,
    limit: number,
  ): Promise<ExpectedSlot[]> {
    const found: ExpectedSlot[] = []
    let at: SlotPosition | null = { fromMs, aheadMs: 0 }
    while (at !== null && found.length < limit) {
      const page: PageOfSlots = await this.page(job, at, untilMs, limit - found.length)
      found.push(...page.slots)
      at = page.next
    }
    return found
  }

  /**
   * A page of slots up to `untilMs`. One decision for many slots is stored at the last of them,
   * which may be far beyond the page: the search for it is bounded, and a page whose last slots
   * need more of it ends before them, even without any slot. The next page continues the search.
   */
  async page(
    job: StoredJob,
    { fromMs, aheadMs }: SlotPosition,
    untilMs: number,
    limit: number,
  ): Promise<PageOfSlots> {
    const found = await this.find(job, await this.expected(job, fromMs, untilMs, limit))
    const last = found.at(-1)
    if (!last) return { slots: [], next: null }
    const nextMs = found.length < limit ? null : last.slotMs + 1
    const next = nextMs === null ? null : { fromMs: nextMs, aheadMs: 0 }
    if (last.slot) return { slots: found, next }
    const beyond = await this.#firstAfter(job, Math.max(last.slotMs, aheadMs))
    if (beyond.searchedMs !== null) {
      const open = found.findLastIndex(({ slot }) => slot !== null) + 1
      const openMs = found[open]?.slotMs ?? last.slotMs
      return { slots: found.slice(0, open), next: { fromMs: openMs, aheadMs: beyond.searchedMs } }
    }
    const { slot } = beyond
    if (!slot) return { slots: found, next }
    const slots = found.map((expected) =>
      expected.slot || !covers(slot, expected.slotMs) ? expected : { ...expected, slot },
    )
    return { slots, next: next && { ...next, aheadMs: slot.slotAt.getTime() - 1 } }
  }

  /**
   * The first decision after a slot, among the next `parts` parts of slots. Computes a part only
   * when the one before was read, so that the process does other work in between.
   */
  async #firstAfter(job: StoredJob, afterMs: number, parts = PARTS_MAX): Promise<Search> {
    let searchedMs = afterMs
    for (let part = 0; part < parts; part++) {
      const later = await this.expected(job, searchedMs + 1, job.cursorAt.getTime(), PROBE)
      const found = await this.#find(job.id, later)
      const [first] = [...found.keys()].sort((a, b) => a - b)
      if (first !== undefined) return { slot: found.get(first) ?? null, searchedMs: null }
      const lastMs = later.at(-1)
      if (lastMs === undefined || later.length < PROBE) return { slot: null, searchedMs: null }
      searchedMs = lastMs
    }
    return { slot: null, searchedMs }
  }

  /** The slots, given in order, that became a run, alone or merged with others. */
  async ran(job: StoredJob, slotsMs: readonly number[]): Promise<ReadonlySet<number>> {
    const [firstMs, lastMs] = [slotsMs[0], slotsMs.at(-1)]
    if (firstMs === undefined || lastMs === undefined) return new Set()
    const found = await this.#find(job.id, slotsMs)
    const given = new Set(slotsMs)
    // A run for several slots is stored at the last of them, which the rules of its time determine.
    for (let fromMs = firstMs; ; ) {
      const expected = await this.expected(job, fromMs, lastMs, COUNT_MAX)
      const others = expected.filter((slotMs) => !given.has(slotMs))
      for (const [slotMs, slot] of await this.#find(job.id, others)) found.set(slotMs, slot)
      const end = expected.at(-1)
      if (end === undefined || expected.length < COUNT_MAX) break
      fromMs = end + 1
    }
    const { slot: beyond } = await this.#firstAfter(job, lastMs, Number.POSITIVE_INFINITY)
    if (beyond) found.set(beyond.slotAt.getTime(), beyond)
    const runs = [...found].filter(([, { decision }]) => decision === 'run')
    runs.sort(([a], [b]) => a - b)
    let at = 0
    const ran = slotsMs.filter((slotMs) => {
      while ((runs[at]?.[0] ?? slotMs) < slotMs) at++
      const [atMs, slot] = runs[at] ?? []
      return slot !== undefined && (atMs === slotMs || covers(slot, slotMs))
    })
    return new Set(ran)
  }

  /** The decisions for these slots of a job, which are given in order. */
  async find(job: StoredJob, slotsMs: readonly number[]): Promise<ExpectedSlot[]> {
    const found = await this.#find(job.id, slotsMs)
    return slotsMs.map((slotMs, i) => ({
      slotMs,
      slot: found.get(slotMs) ?? covering(found, slotsMs, i, slotMs),
    }))
  }

  /**
   * The slot at an instant, or the last one before it; null when none exists. One decision for many
   * slots may be stored far beyond it, and the search for it is bounded: without success
   * `searchedMs` says up to which slot there is none for sure.
   */
  async lastBefore(job: StoredJob, atMs: number, backMs: number): Promise<FoundSlot | null> {
    for (let lookMs = 3_600_000; ; lookMs *= 4) {
      const fromMs = atMs - Math.min(lookMs, backMs)
      const slotMs = await this.#lastSlot(job, fromMs, atMs)
      if (slotMs !== null) {
        const own = (await this.#find(job.id, [slotMs])).get(slotMs)
        if (own) return { slotMs, slot: own, searchedMs: null }
        return { slotMs, ...(await this.#covering(job, slotMs)) }
      }
      if (lookMs >= backMs) return null
    }
  }

  /** The row that covers a slot is stored at a later one, which may be far away. */
  async #covering(job: StoredJob, slotMs: number): Promise<Search> {
    const { slot, searchedMs } = await this.#firstAfter(job, slotMs, 1)
    if (searchedMs === null)
      return { slot: slot && covers(slot, slotMs) ? slot : null, searchedMs: null }
    const untilMs = job.cursorAt.getTime()
    const found = await findCovering(slotMs, { afterMs: searchedMs, untilMs }, async (fromMs) => {
      const slotsMs = await this.expected(job, fromMs, untilMs, PART)
      const rows = await this.#find(job.id, slotsMs)
      const first = slotsMs.find((ms) => rows.has(ms))
      return { slotsMs, first: (first !== undefined && rows.get(first)) || null }
    })
    return { slot: found, searchedMs: found ? null : searchedMs }
  }

  /** The last slot of a range; computes the slots of ever later parts of it, not of all of it. */
  async #lastSlot(job: StoredJob, fromMs: number, untilMs: number): Promise<number | null> {
    let [lowMs, highMs] = [fromMs, untilMs]
    for (;;) {
      const part = await this.expected(job, lowMs, highMs, PROBE)
      const partMs = part.at(-1) ?? null
      if (partMs === null || part.length < PROBE) return partMs
      const middleMs = partMs + Math.floor((highMs - partMs) / 2) + 1
      const [later] = await this.expected(job, middleMs, highMs, 1)
      if (later !== undefined) lowMs = later
      else [lowMs, highMs] = [partMs, middleMs - 1]
    }
  }

  /** Slots by the current rules, including those from before the job was created. */
  backfillable(job: StoredJob, fromMs: number, untilMs: number, limit: number): number[] {
    const { kind } = job.rules.when
    if (kind === 'once' || kind === 'after-end') return []
    // A fixed rate has no slots before its anchor; cron has.
    const next = nextSlotOf(job, job.rules, this.#timings)
    const slots: number[] = []
    for (let s = next(fromMs - 1); s !== null && s <= untilMs && slots.length < limit; s = next(s))
      slots.push(s)
    return slots
  }

  /** The expected slots. */
  async expected(
    job: StoredJob,
    fromMs: number,
    untilMs: number,
    limit: number,
  ): Promise<number[]> {
    const slots: number[] = []
    /** Slots up to this instant belong to earlier eras. */
    let afterMs = job.createdAt.getTime() - 1
    let onceMs: number | null = null
    for (const era of await this.#eras(job)) {
      const { kind } = era.rules.when
      const lastMs = Math.min(era.untilMs, untilMs, (era.endMs ?? Number.POSITIVE_INFINITY) - 1)
      if (kind === 'once' && era.anchorMs !== null) {
        // A time in the past means now; an edit that keeps the time does not run the job again.
        const slotMs = onceMs === era.anchorMs ? onceMs : Math.max(era.anchorMs, afterMs + 1)
        if (slotMs > afterMs && slotMs >= fromMs && slotMs <= lastMs) slots.push(slotMs)
        onceMs = era.anchorMs
      } else if (kind === 'after-end') {
        const startMs = Math.max(afterMs + 1, fromMs)
        if (startMs <= lastMs) slots.push(...(await this.#followed(job.id, startMs, lastMs, limit)))
      } else {
        const next = nextSlotOf({ id: job.id, anchorMs: era.anchorMs }, era.rules, this.#timings)
        const startMs = Math.max(afterMs, fromMs - 1, (era.anchorMs ?? 0) - 1)
        for (let s = next(startMs); s !== null && s <= lastMs && slots.length < limit; s = next(s))
          slots.push(s)
      }
      afterMs = Math.max(afterMs, era.untilMs)
    }
    return slots.slice(0, Math.min(limit, COUNT_MAX))
  }

  /** For a job whose slots follow from the ends of its runs, the ledger itself holds the slots. */
  async #followed(jobId: string, fromMs: number, untilMs: number, limit: number) {
    const until = Math.min(untilMs, FAR_MS)
    const call = listFollowedSlots(jobId, fromMs, until, Math.min(limit, COUNT_MAX))
    const rows = await this.#database.control.runPinned(call)
    return rows.map(({ slotMs }) => slotMs)
  }

  async #eras(job: StoredJob): Promise<Era[]> {
    const rows = await this.#database.control.run(listJobVersions(job.id))
    const eras: Era[] = rows.map(({ untilAt, anchorAt, endAt, spec }) => ({
      untilMs: untilAt.getTime(),
      rules: decodeRules(spec),
      anchorMs: anchorAt?.getTime() ?? null,
      endMs: endAt?.getTime() ?? null,
    }))
    const { rules, anchorMs, endAt, runsLeft, cursorAt } = job
    const endMs = endAt?.getTime() ?? null
    // After the last run of `maxRuns` no slot follows.
    const untilMs = runsLeft === 0 ? cursorAt.getTime() : Number.POSITIVE_INFINITY
    return [...eras, { untilMs, rules, anchorMs, endMs }]
  }

  async #find(jobId: string, slotsMs: readonly number[]): Promise<Map<number, Slot>> {
    const found = new Map<number, Slot>()
    for (let i = 0; i < slotsMs.length; i += PROBE) {
      const call = listSlots(jobId, int8ArrayOfNumbers(slotsMs.slice(i, i + PROBE)))
      for (const slot of await this.#database.control.runPinned(call))
        found.set(slot.slotAt.getTime(), slot)
    }
    return found
  }
}

/** A row also stands for earlier slots if it has a `fromAt`. */
function covering(
  found: ReadonlyMap<number, Slot>,
  expected: readonly number[],
  at: number,
  slotMs: number,
): Slot | null {
  for (let i = at + 1; ; i++) {
    const laterMs = expected[i]
    if (laterMs === undefined) return null
    const slot = found.get(laterMs)
    if (slot) return covers(slot, slotMs) ? slot : null
  }
}
