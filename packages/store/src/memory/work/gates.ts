/**
 * Runs with a concurrency key: each takes a place of its gate, or is parked behind the runs that
 * wait (parts/claim/gates, work/parked/release-gates, upkeep/list-free-gates).
 */
import type { MemoryDatabase } from '../tables/memory-database.ts'
import { carried, type GatedRow, type ParkedRow, type QueueRow } from '../tables/rows.ts'

const byId = (a: { runId: string }, b: { runId: string }) => (a.runId < b.runId ? -1 : 1)

/** Returns the place of each admitted run; the others are parked. `runs` are in the order of ids. */
export function takePlaces(
  db: MemoryDatabase,
  runs: readonly QueueRow[],
): { places: ReadonlyMap<string, number>; stopped: readonly string[] } {
  const gates = new Map<string, { row: QueueRow; run: GatedRow }[]>()
  for (const row of runs) {
    const run = db.gated.get(row.runId)
    if (run?.gate) gates.set(run.gate, [...(gates.get(run.gate) ?? []), { row, run }])
  }
  const places = new Map<string, number>()
  const stopped: string[] = []
  for (const [gate, wanting] of gates) {
    const waiting = waitingAt(db, gate)
    const isBehind = ({ runId }: GatedRow) =>
      waiting.some((other) => other.runId < runId) && !db.mutants.has('gate-overtaken')
    const ahead = wanting.filter(({ run }) => !isBehind(run))
    const free = freePlaces(
      db,
      gate,
      ahead.map(({ run }) => run.gateLimit ?? 0),
    )
    wanting.forEach(({ row, run }, turn) => {
      const place = free[turn]
      const gateLimit = run.gateLimit ?? 0
      if (place !== undefined && !isBehind(run) && place <= gateLimit) places.set(row.runId, place)
      else {
        stopped.push(row.runId)
        db.parked.insert(row.runId, { ...carried(row), parkedMs: db.nowMs, gate, gateLimit })
      }
    })
  }
  return { places, stopped }
}

/** The lowest free places, at most one for each of the runs with these limits. */
function freePlaces(db: MemoryDatabase, gate: string, wanted: readonly number[]): number[] {
  const taken = new Set(leasesOf(db, gate).map(({ gateSlot }) => gateSlot))
  if (db.mutants.has('gate-without-places')) return wanted.map(() => 1)
  const free: number[] = []
  for (let place = 1; place <= Math.max(0, ...wanted) && free.length < wanted.length; place++)
    if (!taken.has(place)) free.push(place)
  return free
}

const leasesOf = (db: MemoryDatabase, gate: string) =>
  db.leases.values().filter((lease) => lease.gate === gate)

/** The runs that wait at a gate, in the order in which they may start. */
export const waitingAt = (db: MemoryDatabase, gate: string): ParkedRow[] =>
  db.parked
    .values()
    .filter((row) => row.gate === gate)
    .sort(byId)

/** The runs that a gate has admitted: those that run, and those that are about to. */
export const admittedBy = (db: MemoryDatabase, gate: string): number =>
  leasesOf(db, gate).length + db.queue.values().filter((row) => row.gate === gate).length

/** Admits the first runs that wait for these gates, as many as they have places for. */
export function releaseGates(db: MemoryDatabase, gates: readonly string[]): void {
  if (db.mutants.has('gate-not-released')) return
  for (const gate of new Set(gates)) {
    const waiting = waitingAt(db, gate)
    const free = (waiting[0]?.gateLimit ?? 0) - admittedBy(db, gate)
    for (const row of waiting.slice(0, Math.max(0, free))) {
      db.parked.delete(row.runId)
      db.queue.insert(row.runId, { ...carried(row), posMs: db.nowMs, seq: 0, gate })
    }
  }
}

/** The gates that have capacity although runs wait for them. */
export function freeGates(db: MemoryDatabase): string[] {
  const gates = new Set(db.parked.values().flatMap(({ gate }) => gate ?? []))
  return [...gates].filter(
    (gate) => (waitingAt(db, gate)[0]?.gateLimit ?? 0) > admittedBy(db, gate),
  )
}
