/**
 * Proves that a ledger is complete: computes the expected slots from the rules, independently of
 * the planners.
 */
import type { LabEra, StoredLabJob } from './lab-job.ts'

/** A slot with a wrong decision. */
export interface LedgerFault {
  /** The name of its job. */
  readonly job: string
  /** The slot's instant. */
  readonly slotAt: Date
}

/** The faults of a ledger, up to 1,000 of each kind; both lists are empty when it is complete. */
export interface LedgerProof {
  /** Past slots without a decision. */
  readonly holes: readonly LedgerFault[]
  /** Second decisions for a slot, and decisions for instants that are not slots. */
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
    // Slots that a paused job has missed are decided when it resumes; a finished job has no further
    // slots.
    const { cursorMs, nextMs, paused } = job.cursor
    const untilMs = paused || nextMs === null ? Math.min(nowMs, cursorMs) : nowMs
    const expected = expectedSlots(job.eras, untilMs)
    let next = expected.next()
    let lastMs = Number.NEGATIVE_INFINITY
    for (const { fromMs, slotMs } of job.ledger.entries()) {
      if (fromMs <= lastMs) {
        add(doubles, fromMs)
        continue
      }
      lastMs = slotMs
      // The slots of a job that fires after the end of its runs depend on those ends, not on the
      // rules.
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
