/**
 * Teeth: ways to be wrong, each of which the simulation has to notice. One is a switch in the store in memory or a
 * wrong wiring of the real parts; `noticedBy` names the invariants that may give it away.
 */
import type { StoreMutant } from './memory/memory-database.ts'
import type { SimulationOptions } from './simulate.ts'
import type { Fault } from './world/faults.ts'
import {
  hastyReaper,
  noWiringMutants,
  straysUnknown,
  unmarkedStarts,
  type WiringMutants,
} from './world/wiring-mutants.ts'

export interface Mutant {
  readonly name: string
  readonly what: string
  readonly store?: StoreMutant
  readonly wiring?: WiringMutants
  readonly noticedBy: readonly string[]
  /** What it takes to be noticed soon; every seed has these faults, and no others. */
  readonly faults: readonly Fault[]
}

export const mutants: readonly Mutant[] = [
  {
    name: 'settle-without-fence',
    what: 'A settle ends the lease of its run, whoever holds it.',
    store: 'settle-without-fence',
    noticedBy: ['I3'],
    faults: ['pause', 'crash'],
  },
  {
    name: 'settle-not-re-read',
    what: 'A settle that is tried again takes what it finds gone for refused.',
    store: 'settle-not-re-read',
    noticedBy: ['what is accepted is said to be'],
    faults: ['failAfter', 'hangAfter'],
  },
  {
    name: 'cursor-outside-transaction',
    what: 'The cursor is moved first, and the ledger is written in a transaction of its own.',
    store: 'cursor-outside-transaction',
    noticedBy: ['I6'],
    faults: ['crash', 'hangAfter'],
  },
  {
    name: 'slot-not-unique',
    what: 'A slot is planned whoever has moved its cursor meanwhile, and a second decision replaces the first.',
    store: 'slot-not-unique',
    noticedBy: ['I1'],
    faults: [],
  },
  {
    name: 'lease-by-worker-clock',
    what: 'A lease ends by the clock of the worker that renews it.',
    store: 'lease-by-worker-clock',
    noticedBy: ['a living worker is not fenced', 'L1'],
    faults: [],
  },
  {
    name: 'reaper-without-grace',
    what: 'The reaper takes whatever looks expired at its first look, also after a gap.',
    wiring: hastyReaper,
    noticedBy: ['a living worker is not fenced'],
    faults: ['outage'],
  },
  {
    name: 'give-back-started',
    what: 'A worker takes everything that it holds for strays, and gives it back.',
    wiring: straysUnknown,
    noticedBy: ['a duplicate is flagged', 'I14'],
    faults: ['failAfter', 'failBefore'],
  },
  {
    name: 'start-not-marked',
    what: 'A run that must not start twice is started without its mark.',
    wiring: unmarkedStarts,
    noticedBy: ['I14'],
    faults: [],
  },
  {
    name: 'key-not-freed',
    what: 'The end of a run leaves its key taken.',
    store: 'key-not-freed',
    noticedBy: ['I15'],
    faults: [],
  },
  {
    name: 'hold-not-freed',
    what: 'The end of a run leaves its job held.',
    store: 'hold-not-freed',
    noticedBy: ['I15'],
    faults: [],
  },
  {
    name: 'claim-without-session-guard',
    what: 'A claim does not look at its session: what the reaper fenced goes on claiming.',
    store: 'claim-without-session-guard',
    noticedBy: ['I8'],
    faults: ['pause', 'crash'],
  },
  {
    name: 'retry-keeps-lease',
    what: 'An attempt that is to be tried again is queued, and its lease stays.',
    store: 'retry-keeps-lease',
    noticedBy: ['I10'],
    faults: [],
  },
  {
    name: 'reap-forgets-crash',
    what: 'What a dead worker held comes back as if it had never been claimed.',
    store: 'reap-forgets-crash',
    noticedBy: ['a duplicate is flagged'],
    faults: ['pause', 'crash'],
  },
  {
    name: 'submit-again-queues-twice',
    what: 'A submission that is sent again queues its runs again.',
    store: 'submit-again-queues-twice',
    noticedBy: ['I10', 'I5'],
    faults: ['failAfter'],
  },
]

/** Leases that end soon end more often. */
const LEASE_MAX_MS = 3_000

export function optionsOf(mutant: Mutant, seed: number): SimulationOptions {
  const enabled = new Set(mutant.faults)
  return {
    seed,
    change: (settings) => ({
      ...settings,
      leaseMs: Math.min(settings.leaseMs, LEASE_MAX_MS),
      faults: { enabled, callPercent: 20, everyMs: 3_000 },
    }),
    mutants: new Set(mutant.store ? [mutant.store] : []),
    wiring: mutant.wiring ?? noWiringMutants,
  }
}
