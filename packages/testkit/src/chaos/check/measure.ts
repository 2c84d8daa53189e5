/** How late, how available, how quick to recover: figures, none of which decides the verdict. */
import type { EffectLine } from '../ledger.ts'
import type { Fault } from '../world.ts'
import type { Indexed } from './index-evidence.ts'

export interface Figures {
  /** Share of the seconds in which something was started. */
  readonly availability: number
  readonly latenessP99Ms: { readonly calm: number; readonly faults: number }
  /** Runs that started more than a second after their time. */
  readonly late: { readonly calm: number; readonly faults: number }
  /** The worst of each kind. */
  readonly recoveryMs: Readonly<Record<string, number>>
}

const LATE_MS = 1_000
/** Faults that take runs away from a process: others have to start them. */
const TAKE_AWAY = new Set(['kill9', 'stop', 'blackhole'])

export function measure(evidence: Indexed, leaseMs: number): Figures {
  return {
    availability: availabilityOf(evidence),
    ...latenessOf(evidence, leaseMs),
    recoveryMs: recoveryOf(evidence),
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

/** Of the first start of every run that has one. */
export function latenesses(
  { starts, faults, wallMs, wallOffsetMs }: Indexed,
  leaseMs: number,
): Lateness[] {
  // What a fault leaves behind lasts for about a lease and the look after it.
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
  const of = (calm: boolean) => all.filter((it) => it.calm === calm).map((it) => it.lateMs)
  const p99 = (values: readonly number[]) => Math.round(percentile(values, 0.99) * 10) / 10
  const late = (values: readonly number[]) => values.filter((ms) => ms > LATE_MS).length
  const [calm, faults] = [of(true), of(false)]
  return {
    latenessP99Ms: { calm: p99(calm), faults: p99(faults) },
    late: { calm: late(calm), faults: late(faults) },
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** From the fault to the moment in which what it took away goes on. */
function recoveryOf(evidence: Indexed): Record<string, number> {
  const worst: Record<string, number> = {}
  for (const fault of evidence.faults) {
    const takesAway = TAKE_AWAY.has(fault.kind)
    const ms = takesAway ? runsRecovered(fault, evidence) : serviceRecovered(fault, evidence)
    if (ms !== null) worst[fault.kind] = Math.max(worst[fault.kind] ?? 0, Math.round(ms))
  }
  return worst
}

/** Until the last of the runs that the dead process was running has started elsewhere. */
function runsRecovered(fault: Fault, { ledger, starts }: Indexed): number | null {
  const open = new Map<string, EffectLine>()
  for (const line of ledger.effects) {
    if (line.pid !== fault.pid || line.monotonicMs > fault.fromMs) continue
    if (line.what === 'start') open.set(line.run, line)
    else open.delete(line.run)
  }
  const again = [...open.keys()].flatMap((run) => {
    const next = starts.get(run)?.find((line) => line.monotonicMs > fault.fromMs)
    return next ? [next.monotonicMs - fault.fromMs] : []
  })
  return again.length > 0 ? Math.max(...again) : null
}

/** Until anything starts after the database is back. */
function serviceRecovered(fault: Fault, { ledger }: Indexed): number | null {
  if (fault.target !== 'database' || fault.untilMs === null) return null
  const { fromMs, untilMs } = fault
  const next = ledger.effects.find((line) => line.what === 'start' && line.monotonicMs > untilMs)
  return next ? next.monotonicMs - fromMs : null
}
