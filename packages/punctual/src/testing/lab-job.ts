/** A job of the lab: what PostgreSQL would hold of it, and how its runs behave. */
import type { CompiledJob, JobOptions, NextSlot } from '@punctual/core/job'
import { type LabEntry, LabLedger } from './lab-ledger.ts'

/** A job of the lab: a job, and how its runs behave. */
export interface LabJob extends Omit<JobOptions, 'handler' | 'payload'> {
  /** Only a name: nothing is called. @default 'lab' */
  handler?: string
  /** What its runs would be given. @default null */
  payload?: unknown
  /** How long a run takes. @default 0 */
  takesMs?: number | ((slotAt: Date) => number)
  /** Whether the run of a slot dies. @default none does */
  fails?: (slotAt: Date) => boolean
}

/** A stretch of time in which the job had the same rules. */
export interface LabEra {
  readonly next: NextSlot
  readonly rhythm: 'rhythm' | 'once' | 'after-end'
  /** No slot before this; of a job that runs once, its slot. */
  readonly fromMs: number
  readonly endMs: number | null
  untilMs: number
}

export class StoredLabJob {
  readonly id: string
  readonly shard: number
  readonly ledger = new LabLedger()
  readonly skips = new Set<number>()
  readonly eras: LabEra[] = []
  readonly running = new Set<LabEntry>()
  readonly waiting: LabEntry[] = []
  compiled: CompiledJob
  options: LabJob
  timing: number
  next: NextSlot = () => null
  nextMs: number | null = null
  anchorMs: number | null = null
  /** When its last run ended, of a job that waits for that. */
  endedMs: number | null = null
  runsLeft: number | null
  /** Everything up to here is decided. */
  cursorMs: number
  version = 1
  failures = 0
  paused = false
  planningError: string | null = null

  constructor(id: string, options: LabJob, compiled: CompiledJob, timing: number, nowMs: number) {
    this.id = id
    this.shard = Number.parseInt(id.slice(-2), 16)
    this.options = options
    this.compiled = compiled
    this.timing = timing
    this.runsLeft = compiled.maxRuns
    this.cursorMs = nowMs - 1
  }

  get kind(): string {
    return this.compiled.rules.when.kind
  }

  /** Whether nothing that it does takes time or decides about what follows. */
  get isInstant(): boolean {
    const { takesMs = 0, fails } = this.options
    return takesMs === 0 && !fails && this.kind !== 'after-end'
  }

  takesMs(slotMs: number): number {
    const { takesMs = 0 } = this.options
    return typeof takesMs === 'number' ? takesMs : takesMs(new Date(slotMs))
  }
}
