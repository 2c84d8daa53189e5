/** Writes what was decided about the slots of jobs, and reads what decisions depend on. */
import type { Random } from '@punctual/core/clock'
import { type PlannedJob, type SlotDecision, slotReasons } from '@punctual/core/job'
import { RunIdSource } from '@punctual/core/run'
import type pg from 'pg'
import {
  booleanArray,
  int2Array,
  int4Array,
  int8ArrayOfNumbers,
  uuidArray,
  uuidArrayOrNull,
} from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import { CalendarCache } from './calendar-cache.ts'
import { insertSlots, listSkips } from './statements.gen.ts'

/** Limit for any statement of a planner, after which the connection is given up. */
export const DEADLINE_MS = 10_000
const SEQUENCE_LIMIT = 1 << 20

/** The instants whose days a decision is written to: that of its slot, and that of its run. */
export function instantsOf(slot: SlotDecision): number[] {
  return slot.decision === 'run' ? [slot.slotMs, slot.dueMs] : [slot.slotMs]
}

const dueMsOf = (slot: SlotDecision): number => (slot.decision === 'run' ? slot.dueMs : slot.slotMs)

export class PlanWriter {
  readonly #database: Database
  readonly #ids: RunIdSource
  readonly calendars: CalendarCache
  #sequence = 0

  constructor(database: Database, random: Random) {
    this.#database = database
    this.#ids = new RunIdSource(random)
    this.calendars = new CalendarCache(database)
  }

  async askedSkips(jobIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
    const skips = new Map<string, Set<number>>()
    for (const { jobId, slotMs } of await this.#database.upkeep.runPinned(
      listSkips(uuidArray(jobIds)),
    )) {
      const known = skips.get(jobId)
      if (known) known.add(slotMs)
      else skips.set(jobId, new Set([slotMs]))
    }
    return skips
  }

  /** Writes the decisions for jobs whose cursors are locked; returns the lanes of the new runs. */
  async write(client: pg.Client, jobs: readonly PlannedJob[]): Promise<number[]> {
    const rows = jobs.flatMap(({ job, decisions, computed }) =>
      decisions.map((slot) => ({ job, slot, computed })),
    )
    if (rows.length === 0) return []
    const nowMs = this.#database.clock.nowMs()
    // Sorted like the ids of the runs and like the queue: neighbouring rows share index pages. Runs
    // that are due by now keep the order of their slots, so that a missed slot starts before the
    // next one.
    const placeMs = (slot: SlotDecision) => Math.max(dueMsOf(slot), nowMs)
    rows.sort((a, b) => placeMs(a.slot) - placeMs(b.slot))
    const ids = rows.map(({ slot }) =>
      slot.decision === 'run' ? this.#ids.next(Math.max(slot.dueMs, nowMs)) : null,
    )
    const first = this.#sequence
    this.#sequence = (this.#sequence + rows.length) % SEQUENCE_LIMIT
    const call = insertSlots(
      int8ArrayOfNumbers(rows.map(({ slot }) => slot.slotMs)),
      uuidArray(rows.map(({ job }) => job.id)),
      ids.every((id) => id !== null) ? uuidArray(ids) : uuidArrayOrNull(ids),
      int8ArrayOfNumbers(
        rows.map(({ slot }) => (slot.fromMs === slot.slotMs ? null : slot.fromMs)),
      ),
      int4Array(rows.map(({ slot }) => slot.slots)),
      int4Array(rows.map(({ job }) => job.tenantId)),
      int2Array(rows.map(({ slot }) => slotReasons[slot.reason])),
      int8ArrayOfNumbers(rows.map(({ slot }) => (slot.decision === 'run' ? slot.dueMs : null))),
      first,
      booleanArray(rows.map(({ computed }) => computed)),
    )
    const queued = await this.#database.runPrepared(client, call, DEADLINE_MS)
    return queued.map(({ lane }) => lane)
  }
}
