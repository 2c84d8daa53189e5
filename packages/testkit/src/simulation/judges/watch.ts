/**
 * The invariants that hold after every commit, checked on the changes of the commit. Each violation
 * names its invariant. After commits were lost, promises that assume no lost commit are not
 * checked.
 */
import { attemptOutcomes, finalStates, traits } from '@punctual/core/run'
import {
  type Change,
  type CursorRow,
  isExclusive,
  type LeaseRow,
  type MemoryDatabase,
  type OutcomeRow,
  type QueueRow,
  type RunRow,
  type SlotRow,
} from '@punctual/store/memory'

import { FlowWatch } from './flow-watch.ts'

export class Violation extends Error {
  readonly invariant: string

  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`)
    this.invariant = invariant
  }
}

const PLACES = ['later', 'queue', 'parked', 'leases', 'outcomes'] as const
const RUN_TABLES = new Set<string>([...PLACES, 'runs'])

export class Watch {
  readonly #db: MemoryDatabase
  readonly violations: Violation[] = []
  readonly #flow: FlowWatch
  readonly #claims = new Map<bigint, string>()
  readonly #slotRuns = new Map<string, string>()
  /** Runs whose targets accepted the work, with the attempts before that one. */
  readonly #accepted = new Map<string, number>()
  /** Whether the session's worker is healthy: no reaper may fence it. */
  isWell: (sessionId: string) => boolean = () => false
  /** Commits were lost: their statements are void. */
  lossy = false
  /** The database's clock was set: instants before and after that do not compare. */
  clockWasSet = false
  runs = 0
  slots = 0

  constructor(db: MemoryDatabase) {
    this.#db = db
    this.#flow = new FlowWatch(db, (invariant, what) => this.fail(invariant, what))
  }

  fail(invariant: string, what: string): void {
    this.violations.push(new Violation(invariant, what))
  }

  committed(changes: readonly Change[]): void {
    const touched = new Set<string>()
    for (const change of changes) {
      if (RUN_TABLES.has(change.table)) touched.add(change.key)
      this.#look(change, changes)
    }
    for (const id of touched) this.#isInOnePlace(id)
  }

  #look(change: Change, changes: readonly Change[]): void {
    switch (change.table) {
      case 'runs':
        if (change.before === undefined) this.#ran(change.after as RunRow)
        else if (change.after === undefined) this.fail('I10 nothing is lost', `run ${change.key}`)
        else this.#edited(change.before as RunRow, change.after as RunRow)
        return
      case 'leases':
        if (change.after !== undefined && change.before === undefined)
          this.#leased(change.after as LeaseRow, changes)
        else this.#left(change.after as LeaseRow | undefined)
        return
      case 'limits':
        this.#flow.limited(change)
        return
      case 'outcomes':
        this.#ended(change, changes)
        return
      case 'cursors':
        this.#moved(change.before as CursorRow | undefined, change.after as CursorRow | undefined)
        return
      case 'slots':
        this.#decided(change)
        return
      case 'sessions':
        if (change.after === undefined && this.isWell(change.key))
          this.fail('a living worker is not fenced', `session ${change.key}`)
        return
      case 'queue':
        if (change.after !== undefined) this.#queued(change.after as QueueRow)
    }
  }

  #ran({ id, jobId, slotMs, replayOf }: RunRow): void {
    this.runs++
    if (replayOf !== null) {
      if (this.#db.deadLetters.get(replayOf)?.replayedAs !== id)
        this.fail('a dead letter is replayed once', `run ${replayOf} by ${id}`)
      return
    }
    if (jobId === null || slotMs === null) return
    const slot = `${slotMs} ${jobId}`
    const other = this.#slotRuns.get(slot)
    if (other !== undefined && !this.lossy)
      this.fail('I1 one run for a slot', `slot ${slot} has the runs ${other} and ${id}`)
    this.#slotRuns.set(slot, id)
  }

  /** What an attempt has begun, no edit changes. */
  #edited(before: RunRow, { id, payload }: RunRow): void {
    if (before.payload === payload) return
    const waits = this.#db.later.get(id) ?? this.#db.queue.get(id) ?? this.#db.parked.get(id)
    if (waits?.attempt !== 0 || waits.crashes !== 0)
      this.fail('an edit changes only what has not begun', `run ${id}`)
  }

  /** Changes of a job withdraw decisions for slots that are ahead, and end their runs. */
  #decided({ key, before, after }: Change): void {
    if (before === undefined) this.slots++
    else if (after === undefined && this.#isEnded((before as SlotRow).runId))
      this.#slotRuns.delete(key)
    else this.fail('I1 one decision for a slot', `the decision for ${key} was changed`)
    const row = after as SlotRow | undefined
    if (row && row.runId === null && !(row.reason >= 4))
      this.fail('I13 a skip has a reason', `slot ${key} is skipped for ${row.reason}`)
  }

  #isEnded(runId: string | null): boolean {
    return runId === null || this.#db.outcomes.get(runId)?.state === finalStates.cancelled
  }

  #leased(lease: LeaseRow, changes: readonly Change[]): void {
    const { runId, fence, jobId, sessionId } = lease
    // After commits were lost, the starts so far are unknown to the store.
    this.#flow.leased(lease, changes, !this.lossy && !this.clockWasSet)
    const other = this.#claims.get(fence)
    if (other !== undefined) this.fail('I4 a fence is new', `${fence} of ${runId} was of ${other}`)
    this.#claims.set(fence, runId)
    this.#isSentAgain(lease)
    const session = this.#db.sessions.get(sessionId)
    if (!session || session.expiresMs <= this.#db.nowMs)
      this.fail('I8 a lease has a session', `run ${runId} is leased to ${sessionId}, which is gone`)
    const queue = this.#db.lanes.values().find(({ id }) => id === lease.lane)?.queue
    if (queue !== undefined && this.#db.pauses.has(queue))
      this.fail('a paused queue starts nothing', `run ${runId}`)
    const run = this.#db.runs.get(runId)
    if (run && run.tenantId !== lease.tenantId) this.fail('I11 one tenant', `run ${runId}`)
    if (isExclusive(lease.traits) && jobId !== null)
      for (const held of this.#db.leases.values())
        if (held.jobId === jobId && held.runId !== runId && isExclusive(held.traits))
          this.fail('no overlap', `runs ${runId} and ${held.runId} of ${jobId} are both leased`)
  }

  /** The target of a run has accepted the work. */
  #left(lease: LeaseRow | undefined): void {
    if (lease && lease.deadlineMs !== null) this.#accepted.set(lease.runId, lease.attempt)
  }

  /** Only a failure that the target reports leads to another request. */
  #isSentAgain({ runId, attempt }: LeaseRow): void {
    const accepted = this.#accepted.get(runId)
    if (accepted === undefined || accepted >= attempt + 1 || this.lossy) return
    const ended = this.#db.attempts.get(`${runId} ${accepted + 1}`)
    if (ended?.outcome !== attemptOutcomes.failed)
      this.fail('an accepted run is not sent again', `run ${runId}, attempt ${accepted + 1}`)
    this.#accepted.delete(runId)
  }

  /** An outcome from a worker carries the fence of the lease that it ended. */
  #ended({ key, before, after }: Change, changes: readonly Change[]): void {
    if (before !== undefined) {
      this.fail('I2 one outcome', `the outcome of ${key} was ${after ? 'changed' : 'removed'}`)
      return
    }
    const outcome = after as OutcomeRow
    const left = changes.find(
      (other) => other.key === key && other.table !== 'outcomes' && other.after === undefined,
    )
    if (!left) this.fail('I5 an end leaves a place', `run ${key} ended from nowhere`)
    const lease = left?.table === 'leases' ? (left.before as LeaseRow) : null
    if (outcome.fence !== (lease?.fence ?? null))
      this.fail('I3 only the current fence ends a run', `run ${key} by ${outcome.fence}`)
    if (this.#db.liveKeys.values().includes(key))
      this.fail('I15 an end frees the key', `run ${key} has ended and holds its key`)
    if (this.#db.holds.values().includes(key))
      this.fail('I15 an end frees the job', `run ${key} has ended and holds its job`)
    if (this.#db.gated.has(key))
      this.fail('I15 an end frees the flow', `run ${key} has ended and is still gated`)
  }

  #moved(before: CursorRow | undefined, after: CursorRow | undefined): void {
    if (!before || !after) return
    // A change of the job takes decisions back.
    if (after.cursorMs < before.cursorMs && after.version === before.version)
      this.fail('I6 cursors go forward', `${after.jobId} ${before.cursorMs} to ${after.cursorMs}`)
  }

  #queued({ runId, posMs }: QueueRow): void {
    if (posMs < this.#db.nowMs) this.fail('a position is never in the past', `run ${runId}`)
  }

  #isInOnePlace(id: string): void {
    const places = PLACES.filter((place) => this.#db[place].has(id))
    if (!this.#db.runs.has(id)) {
      if (places.length > 0) this.fail('I10 a place has a run', `${id} in ${places.join()}`)
      return
    }
    if (places.length !== 1)
      this.fail('I10 a run is in one place', `run ${id} is in ${places.join() || 'none'}`)
    if (places.length > 1 && places.includes('outcomes'))
      this.fail('I5 final is final', `run ${id} has ended and is in ${places[0]}`)
  }

  /** Forgets the lost commits; everything that remains is watched as before. */
  lost(undone: readonly Change[]): void {
    this.lossy = true
    for (const { table, before, after } of undone) {
      if (table !== 'runs' || before !== undefined) continue
      const { jobId, slotMs, replayOf } = after as RunRow
      if (replayOf === null) this.#slotRuns.delete(`${slotMs} ${jobId}`)
    }
  }
}

/** The runs with several attempts past their start mark, according to the store. */
export function possibleDuplicates(db: MemoryDatabase): ReadonlySet<string> {
  const marks = new Map<string, number>()
  const mark = (runId: string) => marks.set(runId, (marks.get(runId) ?? 0) + 1)
  for (const { runId, startedMs } of db.attempts.values()) if (startedMs !== null) mark(runId)
  for (const { runId, startedMs, attemptOutcome } of db.outcomes.values())
    if (startedMs !== null && attemptOutcome !== null) mark(runId)
  return new Set([...marks].filter(([, count]) => count > 1).map(([runId]) => runId))
}

export const isAtMostOnce = (bits: number): boolean => (bits & traits.atMostOnce) !== 0
