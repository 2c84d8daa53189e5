/** Lateness, availability and recovery times: figures that do not affect the verdict. */

import type { Fault } from '../plan/evidence.ts'
import type { EffectLine } from '../plan/ledger.ts'
import type { Indexed } from './index-evidence.ts'

export interface Figures {
  /** The share of seconds in which at least one run started. */
  readonly availability: number
  readonly latenessP99Ms: { readonly calm: number; readonly faults: number }
  /** Runs that started more than a second after they were due. */
  readonly late: { readonly calm: number; readonly faults: number }
  /** The slowest of each kind of fault. */
  readonly recoveryMs: Readonly<Record<string, number>>
  /** The slowest recovery in words: the target of the fault, and the run that took longest. */
  readonly slowest: Readonly<Record<string, string>>
}

const LATE_MS = 1_000
/** Faults that take runs away from a process: other processes have to start them. */
const TAKE_AWAY = new Set(['kill9', 'stop', 'blackhole'])

export function measure(evidence: Indexed, leaseMs: number): Figures {
  return {
    availability: availabilityOf(evidence),
    ...latenessOf(evidence, leaseMs),
    ...recoveryOf(evidence),
  }
}

function availabilityOf({ ledger, fromMs, untilMs }: Indexed): number {
  const seconds = Math.max(1, Math.floor((untilMs - fromMs) / 1_000))
  const served = new Set<number>()
  for (const line of ledger.effects) {
    const second = Math.floor((line.monotonicMs - fromMs) / 1_000)
    if (line.what === 'start' && second >= 0 && second < seconds) served.add(second)
  }
  return Math.round((served.size / seconds) * 10_000) / 10_000
}

export interface Lateness {
  readonly atMs: number
  readonly lateMs: number
  readonly calm: boolean
}

/** The lateness of every run's first start. */
export function latenesses(
  { starts, faults, wallMs, wallOffsetMs }: Indexed,
  leaseMs: number,
): Lateness[] {
  // The effects of a fault last for about a lease and the poll after it.
  const bands = faults.map((fault) => {
    return [fault.fromMs, (fault.untilMs ?? fault.fromMs) + leaseMs * 2] as const
  })
  return [...starts.values()].flatMap(([first]) => {
    if (!first) return []
    const dueMs = first.dueMs - wallOffsetMs
    const calm = !bands.some(([from, until]) => first.monotonicMs >= from && dueMs <= until)
    return [{ atMs: first.monotonicMs, lateMs: Math.max(0, wallMs(first) - first.dueMs), calm }]
  })
}

function latenessOf(evidence: Indexed, leaseMs: number): Pick<Figures, 'latenessP99Ms' | 'late'> {
  const all = latenesses(evidence, leaseMs)
  const lateMsOf = (calm: boolean) =>
    all.filter((run) => run.calm === calm).map((run) => run.lateMs)
  const p99 = (values: readonly number[]) => Math.round(percentile(values, 0.99) * 10) / 10
  const late = (values: readonly number[]) => values.filter((ms) => ms > LATE_MS).length
  const [calm, faults] = [lateMsOf(true), lateMsOf(false)]
  return {
    latenessP99Ms: { calm: p99(calm), faults: p99(faults) },
    late: { calm: late(calm), faults: late(faults) },
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** From the fault until the interrupted work continues. */
function recoveryOf(evidence: Indexed): Pick<Figures, 'recoveryMs' | 'slowest'> {
  const recoveryMs: Record<string, number> = {}
  const slowest: Record<string, string> = {}
  for (const fault of evidence.faults) {
    const takesAway = TAKE_AWAY.has(fault.kind)
    const next = takesAway ? runsRecovered(fault, evidence) : serviceRecovered(fault, evidence)
    if (next === null) continue
    const ms = Math.round(next.monotonicMs - fault.fromMs)
    if (ms <= (recoveryMs[fault.kind] ?? -1)) continue
    recoveryMs[fault.kind] = ms
    const atS = ((fault.fromMs - evidence.fromMs) / 1_000).toFixed(1)
    slowest[fault.kind] =
      `${fault.target} at ${atS} s: run ${next.run} (${next.kind}), attempt ${next.attempt} on ${next.process}`
  }
  return { recoveryMs, slowest }
}

/** The last restart, elsewhere, of the runs that the dead process was executing. */
export function runsRecovered(fault: Fault, { ledger, starts }: Indexed): EffectLine | null {
  const open = new Map<string, EffectLine>()
  for (const line of ledger.effects) {
    if (line.pid !== fault.pid || line.monotonicMs > fault.fromMs) continue
    if (line.what === 'start') open.set(line.run, line)
    else open.delete(line.run)
  }
  const again = [...open.keys()].flatMap((run) => {
    const next = starts.get(run)?.find((line) => line.monotonicMs > fault.fromMs)
    return next ? [next] : []
  })
  return again.reduce<EffectLine | null>(
    (last, line) => (last === null || line.monotonicMs > last.monotonicMs ? line : last),
    null,
  )
}

/** The first start of any run after the database is back. */
function serviceRecovered(fault: Fault, { ledger }: Indexed): EffectLine | null {
  if (fault.target !== 'database' || fault.untilMs === null) return null
  const { untilMs } = fault
  return ledger.effects.find((line) => line.what === 'start' && line.monotonicMs > untilMs) ?? null
}
