/**
 * The ledger of one job. Entries are stored individually while they may change and are packed once
 * they are final: consecutive slots with the same result form one segment, so that a year of
 * seconds fits in memory.
 */
import type { NextSlot, SlotDecision, SlotReason } from '@punctual/core/job'

/** How a run of the lab ended. */
export type LabOutcome = 'succeeded' | 'dead' | 'cancelled' | 'skipped'

/** A run of the lab; `outcome` is null until it has ended. */
export interface LabRun {
  readonly dueMs: number
  /** True when it takes no time and cannot overlap, so that the worker need not simulate it. */
  readonly instant: boolean
  startedMs: number | null
  endedMs: number | null
  outcome: LabOutcome | null
}

/** The decision for a slot, or for a range of slots. */
export interface LabEntry {
  readonly slotMs: number
  readonly fromMs: number
  readonly slots: number
  readonly decision: 'run' | 'skip'
  readonly reason: SlotReason
  readonly run: LabRun | null
}

interface Segment {
  readonly first: LabEntry
  readonly next: NextSlot
  lastMs: number
  count: number
}

export class LabLedger {
  readonly #segments: Segment[] = []
  #open: { entry: LabEntry; next: NextSlot }[] = []

  add(planned: SlotDecision, next: NextSlot, instant: boolean): LabEntry {
    const { slotMs, fromMs, slots, decision, reason } = planned
    const run =
      planned.decision === 'run'
        ? { dueMs: planned.dueMs, instant, startedMs: null, endedMs: null, outcome: null }
        : null
    const entry = { slotMs, fromMs, slots, decision, reason, run }
    this.#open.push({ entry, next })
    return entry
  }

  /** Packs entries that can no longer change. `availableMs` returns when a due run can start. */
  pack(nowMs: number, availableMs: (atMs: number) => number): void {
    let done = 0
    for (const { entry, next } of this.#open) {
      if (entry.run?.instant) runInstantly(entry.run, nowMs, availableMs)
      if (entry.slotMs > nowMs || (entry.run && entry.run.outcome === null)) break
      this.#close(entry, next)
      done++
    }
    if (done > 0) this.#open = this.#open.slice(done)
  }

  #close(entry: LabEntry, next: NextSlot): void {
    const last = this.#segments.at(-1)
    if (
      last &&
      last.next === next &&
      isAlike(last.first, entry) &&
      next(last.lastMs) === entry.slotMs
    ) {
      last.lastMs = entry.slotMs
      last.count++
    } else this.#segments.push({ first: entry, next, lastMs: entry.slotMs, count: 1 })
  }

  /**
   * Withdraws decisions for future slots, back to the last one that must stay: that of a run that
   * has started, or of a skipped range that began in the past.
   */
  takeBack(nowMs: number): { stayMs: number | null; entries: LabEntry[] } {
    let keep = this.#open.length
    while (keep > 0 && this.#isAhead((this.#open[keep - 1] as { entry: LabEntry }).entry, nowMs))
      keep--
    const entries = this.#open.splice(keep).map(({ entry }) => entry)
    const stay = this.#open.at(-1)?.entry.slotMs ?? null
    return { stayMs: stay !== null && stay > nowMs ? stay : null, entries }
  }

  #isAhead({ fromMs, slotMs, run }: LabEntry, nowMs: number): boolean {
    return run ? slotMs > nowMs && run.startedMs === null && run.outcome === null : fromMs > nowMs
  }

  /** Turns a future slot that is planned as a run into a skip; false when there is no such run. */
  skip(slotMs: number): boolean {
    const at = this.#open.findIndex(({ entry }) => entry.slotMs === slotMs)
    const open = this.#open[at]
    if (!open?.entry.run || open.entry.run.startedMs !== null) return false
    open.entry.run.outcome = 'cancelled'
    const entry = { ...open.entry, decision: 'skip', reason: 'asked', run: null } as const
    this.#open[at] = { ...open, entry }
    return true
  }

  /** All entries, oldest first. */
  *entries(): Generator<LabEntry> {
    for (const { first, next, count } of this.#segments) {
      let slotMs = first.slotMs
      for (let i = 0; i < count; i++) {
        yield i === 0 ? first : moved(first, slotMs)
        slotMs = i + 1 < count ? (next(slotMs) as number) : slotMs
      }
    }
    for (const { entry } of this.#open) yield entry
  }
}

function runInstantly(run: LabRun, nowMs: number, availableMs: (atMs: number) => number): void {
  const atMs = availableMs(run.dueMs)
  if (run.outcome !== null || atMs > nowMs) return
  run.startedMs = atMs
  run.endedMs = atMs
  run.outcome = 'succeeded'
}

function isAlike(a: LabEntry, b: LabEntry): boolean {
  if (a.slots !== 1 || b.slots !== 1 || a.decision !== b.decision || a.reason !== b.reason)
    return false
  if (a.run === null || b.run === null) return a.run === b.run
  return (
    a.run.outcome === b.run.outcome &&
    a.run.dueMs - a.slotMs === b.run.dueMs - b.slotMs &&
    since(a, a.run.startedMs) === since(b, b.run.startedMs) &&
    since(a, a.run.endedMs) === since(b, b.run.endedMs)
  )
}

const since = ({ slotMs }: LabEntry, ms: number | null) => (ms === null ? null : ms - slotMs)

function moved(entry: LabEntry, slotMs: number): LabEntry {
  const byMs = slotMs - entry.slotMs
  const { run } = entry
  const later = (ms: number | null) => (ms === null ? null : ms + byMs)
  return {
    ...entry,
    slotMs,
    fromMs: slotMs,
    run: run && {
      instant: run.instant,
      dueMs: run.dueMs + byMs,
      startedMs: later(run.startedMs),
      endedMs: later(run.endedMs),
      outcome: run.outcome,
    },
  }
}
