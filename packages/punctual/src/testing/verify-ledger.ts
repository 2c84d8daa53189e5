/** The proof that a ledger is whole: what there should be is computed from the rules, apart from the planners. */
import type { LabEra, StoredLabJob } from './lab-job.ts'

/** A slot that was decided wrongly. */
export interface LedgerFault {
  /** The name of its job. */
  readonly job: string
  /** The slot. */
  readonly slotAt: Date
}

/** What is wrong with a ledger, up to 1,000 slots of each kind; nothing when all is well. */
export interface LedgerProof {
  /** Slots of the past without a decision. */
  readonly holes: readonly LedgerFault[]
  /** Decisions for a slot that has one already, or for an instant that is no slot. */
  readonly doubles: readonly LedgerFault[]
}

const FAULTS_MAX = 1_000

export function verifyLedger(jobs: Iterable<StoredLabJob>, nowMs: number): LedgerProof {
  const holes: LedgerFault[] = []
  const doubles: LedgerFault[] = []
  for (const job of jobs) {
    const { name } = job.compiled
    const add = (to: LedgerFault[], slotMs: number) => {
      if (to.length < FAULTS_MAX) to.push({ job: name, slotAt: new Date(slotMs) })
    }
    // What a paused job has missed is decided when it goes on, and one that is over has no slots.
    const rests = job.paused || job.nextMs === null
    const untilMs = rests ? Math.min(nowMs, job.cursorMs) : nowMs
    const expected = expectedSlots(job.eras, untilMs)
    let next = expected.next()
    let lastMs = Number.NEGATIVE_INFINITY
    for (const { fromMs, slotMs } of job.ledger.entries()) {
      if (fromMs <= lastMs) {
        add(doubles, fromMs)
        continue
      }
      lastMs = slotMs
      // Which slots there are of a job that waits for its runs to end only their ends tell.
      if (job.eras.find((era) => fromMs <= era.untilMs)?.rhythm === 'after-end') continue
      for (; !next.done && next.value < fromMs; next = expected.next()) add(holes, next.value)
      if (slotMs > untilMs) break
      let last: number | null = null
      for (; !next.done && next.value <= slotMs; next = expected.next()) last = next.value
      if (last !== slotMs) add(doubles, slotMs)
    }
    for (; !next.done && holes.length < FAULTS_MAX; next = expected.next())
      if (next.value > lastMs) add(holes, next.value)
  }
  return { holes, doubles }
}

function* expectedSlots(eras: readonly LabEra[], untilMs: number): Generator<number> {
  for (const era of eras) {
    const lastMs = Math.min(era.untilMs, untilMs, (era.endMs ?? Number.POSITIVE_INFINITY) - 1)
    if (era.rhythm === 'after-end') continue
    if (era.rhythm === 'once') {
      if (era.fromMs <= lastMs) yield era.fromMs
      continue
    }
    for (let s = era.next(era.fromMs - 1); s !== null && s <= lastMs; s = era.next(s)) yield s
  }
}
