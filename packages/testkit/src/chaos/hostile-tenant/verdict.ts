/** Compares the steady tenant under attack with its figures alone, and judges. */
import { limits } from '@punctual/core/errors'
import type { Usage } from './watch.ts'

/** The steady tenant in one half of the comparison. */
export interface Half {
  /** The lateness of every run that was to start; Infinity for a run that did not. */
  readonly latenessMs: readonly number[]
  readonly requests: number
  readonly failed: number
  readonly failures: Readonly<Record<string, number>>
}

export interface Observed {
  readonly alone: Half
  readonly attacked: Half
  /** From the death of a worker to the next start of its run; null when it never started. */
  readonly recoveryMs: number | null
  readonly usage: Usage
  readonly hostile: {
    readonly seconds: number
    readonly sent: number
    readonly admitted: number
    readonly streams: number
    readonly rows: Readonly<Record<string, number>>
  }
}

export interface Bounds {
  readonly leaseMs: number
  readonly nodes: number
  readonly connections: number
  /** Requests that one node admits of a tenant in a second. */
  readonly tenantHttpRate: number
  readonly tenantStreams: number
}

export interface Line {
  readonly name: string
  readonly alone: string
  readonly attacked: string
  readonly bound: string
  readonly holds: boolean
}

export interface Verdict {
  readonly lines: readonly Line[]
  readonly pass: boolean
}

const TIMES = 2
/** Below this lateness, differences are those of the machine. */
const LATENESS_MS_MIN = 100
/** One request of a thousand may fail where none failed alone. */
const ERROR_RATE_MIN = 0.001
const RECOVERY_AFTER_LEASE_MS = 5_000
const MEMORY_BYTES = 1_073_741_824
const TIMES_REQUESTS = 10

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity
}

export function judge(observed: Observed, bounds: Bounds): Verdict {
  const { recoveryMs, hostile } = observed
  const lines = [
    lateness(observed),
    errors(observed),
    under('recovery of a killed worker, ms', recoveryMs ?? Infinity, {
      bound: bounds.leaseMs + RECOVERY_AFTER_LEASE_MS,
    }),
    ...resources(observed.usage, bounds),
    {
      ...{ name: 'requests, hostile : steady', alone: '-' },
      attacked: (hostile.sent / Math.max(1, observed.attacked.requests)).toFixed(1),
      bound: `>= ${TIMES_REQUESTS}`,
      holds: hostile.sent >= TIMES_REQUESTS * observed.attacked.requests,
    },
    ...keptWithin(observed, bounds),
  ]
  return { lines, pass: lines.every(({ holds }) => holds) }
}

function lateness({ alone, attacked }: Observed): Line {
  const p99 = (half: Half) => percentile(half.latenessMs, 0.99)
  const bound = TIMES * Math.max(LATENESS_MS_MIN, p99(alone))
  return {
    name: 'lateness p99, ms',
    alone: p99(alone).toFixed(0),
    attacked: p99(attacked).toFixed(0),
    bound: `<= ${bound.toFixed(0)}`,
    holds: p99(attacked) <= bound,
  }
}

function errors({ alone, attacked }: Observed): Line {
  const rate = ({ failed, requests }: Half) => failed / Math.max(1, requests)
  const bound = TIMES * Math.max(ERROR_RATE_MIN / TIMES, rate(alone))
  const shown = (share: number) => `${(share * 100).toFixed(2)} %`
  return {
    name: 'failed requests',
    alone: shown(rate(alone)),
    attacked: shown(rate(attacked)),
    bound: `<= ${shown(bound)}`,
    holds: rate(attacked) <= bound,
  }
}

function resources({ deaths, memoryBytes, connections }: Usage, bounds: Bounds): Line[] {
  const megabytes = (bytes: number) => Math.round(bytes / 1_048_576)
  const largest = (values: Readonly<Record<string, number>>) =>
    Math.max(0, ...Object.values(values))
  return [
    under('processes that ended', deaths.length, { bound: 0 }),
    under('memory of a process, MiB', megabytes(largest(memoryBytes)), {
      bound: megabytes(MEMORY_BYTES),
    }),
    under('connections of a process', largest(connections), { bound: bounds.connections }),
  ]
}

/** The hostile tenant within its documented bounds: what it has beyond them, it takes from others. */
function keptWithin({ hostile }: Observed, bounds: Bounds): Line[] {
  const { nodes, tenantHttpRate, tenantStreams } = bounds
  const most: Readonly<Record<string, number>> = {
    lanes: limits.lanesPerTenant,
    pauses: limits.pausesPerTenant,
    limits: limits.limitsPerTenant,
    calendars: limits.calendarsPerTenant,
    sessions: limits.sessionsPerTenant,
  }
  // Concurrent requests may exceed a bound by their number.
  const atOnce = 4
  return [
    under('hostile requests admitted a second', Math.round(hostile.admitted / hostile.seconds), {
      bound: Math.ceil(nodes * tenantHttpRate * 1.05),
    }),
    under('hostile streams open', hostile.streams, { bound: nodes * tenantStreams }),
    ...Object.entries(most).map(([table, bound]) =>
      under(`hostile rows: ${table}`, hostile.rows[table] ?? 0, { bound: bound + atOnce }),
    ),
  ]
}

function under(name: string, value: number, { bound }: { readonly bound: number }): Line {
  return {
    ...{ name, alone: '-', attacked: String(Math.round(value)), bound: `<= ${bound}` },
    holds: value <= bound,
  }
}
