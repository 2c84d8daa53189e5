/**
 * The parts of PostgreSQL that the simulation needs: tables, transactions that happen at one
 * instant or not at all, a clock that can be stepped, and a server that can restart, refuse writes,
 * and lose its last commits. Statements of different transactions never interleave here; the suites
 * on the real server test what concurrent statements do to each other.
 */
import type {
  AttemptRow,
  CursorRow,
  DeadLetterRow,
  EffectRow,
  GatedRow,
  JobRow,
  JobVersionRow,
  LaneRow,
  LaterRow,
  LeaseRow,
  LimitRow,
  OutcomeRow,
  ParkedRow,
  QueueRow,
  RunRow,
  SessionRow,
  SlotRow,
} from './rows.ts'
import { type Change, Journal, Table } from './table.ts'

const COMMITS_KEPT = 20

/** Faulty variants of the model that the simulation must notice (see mutants.ts). */
export type StoreMutant =
  | 'settle-without-fence'
  | 'settle-not-re-read'
  | 'cursor-outside-transaction'
  | 'slot-not-unique'
  | 'lease-by-worker-clock'
  | 'key-not-freed'
  | 'hold-not-freed'
  | 'claim-without-session-guard'
  | 'retry-keeps-lease'
  | 'reap-forgets-crash'
  | 'submit-again-queues-twice'
  | 'replay-keeps-letter-open'
  | 'edit-while-running'
  | 'await-keeps-session'
  | 'claim-from-paused-queue'
  | 'gate-without-places'
  | 'gate-overtaken'
  | 'gate-not-released'
  | 'gate-not-freed'
  | 'rate-not-charged'
  | 'limit-not-counted'
  | 'limit-not-charged'
  | 'edit-keeps-planned'
  | 'pause-keeps-cursor'

export class MemoryDatabase {
  readonly #journal = new Journal()
  readonly runs = this.#table<RunRow>('runs')
  readonly later = this.#table<LaterRow>('later')
  readonly queue = this.#table<QueueRow>('queue')
  readonly parked = this.#table<ParkedRow>('parked')
  readonly leases = this.#table<LeaseRow>('leases')
  readonly outcomes = this.#table<OutcomeRow>('outcomes')
  readonly attempts = this.#table<AttemptRow>('attempts')
  readonly deadLetters = this.#table<DeadLetterRow>('dead_letters')
  readonly staleSettles = this.#table<string>('stale_settles')
  readonly liveKeys = this.#table<string>('live_keys')
  readonly holds = this.#table<string>('job_holds')
  readonly gated = this.#table<GatedRow>('gated')
  readonly rates = this.#table<number>('rates')
  readonly rateStarts = this.#table<number>('rate_starts')
  readonly limits = this.#table<LimitRow>('limits')
  readonly checkpoints = this.#table<string>('checkpoints')
  readonly pauses = this.#table<string>('pauses')
  readonly sessions = this.#table<SessionRow>('sessions')
  readonly planners = this.#table<number>('planners')
  readonly lanes = this.#table<LaneRow>('lanes')
  readonly timings = this.#table<string>('timings')
  readonly jobs = this.#table<JobRow>('jobs')
  readonly jobVersions = this.#table<JobVersionRow>('job_versions')
  readonly cursors = this.#table<CursorRow>('cursors')
  /** The slots of a job that users have asked to skip. */
  readonly slotSkips = this.#table<ReadonlySet<number>>('slot_skips')
  readonly slots = this.#table<SlotRow>('slots')
  readonly triggers = this.#table<string>('triggers')
  readonly effects = this.#table<EffectRow>('effects')

  readonly mutants: ReadonlySet<StoreMutant>
  /** Receives the changes of every transaction. */
  onCommit: ((changes: readonly Change[]) => void) | null = null
  incarnation = 1
  readOnly = false
  readonly #clock: () => number
  #commits: Change[][] = []
  #instantMs: number | null = null
  #sequence = 0

  constructor(clock: () => number, mutants: ReadonlySet<StoreMutant> = new Set()) {
    this.#clock = clock
    this.mutants = mutants
  }

  #table<Row>(name: string): Table<Row> {
    return new Table<Row>(name, this.#journal)
  }

  /** The database's clock, in integer milliseconds. It stands still in a transaction. */
  get nowMs(): number {
    return this.#instantMs ?? Math.floor(this.#clock())
  }

  /** The same in microseconds, in which rates are kept. */
  get nowUs(): number {
    return this.nowMs * 1_000
  }

  /** Numbers a position, so that runs queued in one millisecond keep their order. */
  nextSequence(): number {
    this.#sequence = (this.#sequence + 1) & 1_048_575
    return this.#sequence
  }

  /** Applies all of the work, or nothing of it. */
  transact<T>(work: () => T): T {
    let result: T
    this.#instantMs = this.nowMs
    try {
      result = work()
      if (this.readOnly && this.#journal.changes.length > 0) throw new ReadOnlyServer()
    } catch (error) {
      this.#journal.rollBack()
      throw error
    } finally {
      this.#instantMs = null
    }
    const changes = this.#journal.take()
    if (changes.length > 0) {
      this.#commits.push(changes)
      if (this.#commits.length > COMMITS_KEPT) this.#commits.shift()
      this.onCommit?.(changes)
    }
    return result
  }

  /** Makes everything committed so far permanent: no fail-over loses it. */
  secure(): void {
    this.#commits = []
  }

  /** Promotes a server that lacks the last `lost` commits; returns their changes. */
  failOver(lost: number): Change[] {
    this.incarnation++
    const undone: Change[] = []
    for (let i = 0; i < lost; i++)
      for (const change of this.#commits.pop()?.reverse() ?? []) {
        change.undo()
        undone.push(change)
      }
    this.#commits = []
    return undone
  }
}

/** The error of a standby that was not promoted. */
class ReadOnlyServer extends Error {
  readonly code = '25006'

  constructor() {
    super('cannot execute this in a read-only transaction')
  }
}
