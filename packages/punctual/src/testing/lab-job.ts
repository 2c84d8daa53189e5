/** A job of the lab: its rows in the store in memory, and how its runs behave. */
import type { CompiledJob, JobOptions, NextSlot } from '@punctual/core/job'
import type { CursorRow, MemoryDatabase } from '@punctual/store/memory'
import { type LabEntry, LabLedger } from './lab-ledger.ts'

/** A job of the lab: the options of a job, and how its simulated runs behave. */
export interface LabJob extends Omit<JobOptions, 'handler' | 'payload'> {
  /** Only a name: the lab calls no handler. @default 'lab' */
  handler?: string
  /** Payload of its runs; nothing reads it. @default null */
  payload?: unknown
  /** How long a run takes, in ms, or a function of its slot. @default 0 */
  takesMs?: number | ((slotAt: Date) => number)
  /** Whether the run of a slot dies. @default no run dies */
  fails?: (slotAt: Date) => boolean
}

/** A period during which the job had the same rules. */
export interface LabEra {
  readonly next: NextSlot
  readonly rhythm: 'rhythm' | 'once' | 'after-end'
  /** No slot is earlier; for a job that runs once, this is its slot. */
  readonly fromMs: number
  readonly endMs: number | null
  untilMs: number
}

export class StoredLabJob {
  readonly id: string
  readonly ledger = new LabLedger()
  readonly eras: LabEra[] = []
  readonly running = new Set<LabEntry>()
  readonly waiting: LabEntry[] = []
  readonly #db: MemoryDatabase
  compiled: CompiledJob
  options: LabJob
  next: NextSlot = () => null
  /** When its last run ended; set only for jobs that fire after the end of the previous run. */
  endedMs: number | null = null

  constructor(db: MemoryDatabase, id: string, options: LabJob, compiled: CompiledJob) {
    this.#db = db
    this.id = id
    this.options = options
    this.compiled = compiled
  }

  /** The position of the job, which planners move. */
  get cursor(): CursorRow {
    return this.#db.cursors.get(this.id) as CursorRow
  }

  move(change: Partial<CursorRow>): void {
    this.#db.transact(() => this.#db.cursors.set(this.id, { ...this.cursor, ...change }))
  }

  get kind(): string {
    return this.compiled.rules.when.kind
  }

  /** True when its runs take no time and nothing depends on their outcomes. */
  get isInstant(): boolean {
    const { takesMs = 0, fails } = this.options
    return takesMs === 0 && !fails && this.kind !== 'after-end'
  }

  takesMs(slotMs: number): number {
    const { takesMs = 0 } = this.options
    return typeof takesMs === 'number' ? takesMs : takesMs(new Date(slotMs))
  }
}
