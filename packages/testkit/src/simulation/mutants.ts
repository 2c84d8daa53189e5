/**
 * Deliberate bugs, each of which the simulation has to notice. A mutant is a switch in the store in
 * memory or a wrong wiring of the real parts; `noticedBy` names the invariants that may reveal it.
 */
import type { StoreMutant } from '@punctual/store/memory'
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
  /** The faults that reveal the mutant soon; every seed has these and no others. */
  readonly faults: readonly Fault[]
  /** Every seed has flow control. */
  readonly flow?: true
}

export const mutants: readonly Mutant[] = [
  {
    name: 'settle-without-fence',
    what: 'A settle ends the lease of its run, whichever session holds it.',
    store: 'settle-without-fence',
    noticedBy: ['I3', 'I12', 'an accepted run is not sent again'],
    faults: ['pause', 'crash'],
  },
  {
    name: 'await-keeps-session',
    what: 'A run that awaits its target still belongs to its worker, which does not know it.',
    store: 'await-keeps-session',
    noticedBy: ['an accepted run is not sent again'],
    faults: ['crash', 'pause'],
  },
  {
    name: 'settle-not-re-read',
    what: 'A repeated settle reports runs that are already settled as refused.',
    store: 'settle-not-re-read',
    noticedBy: ['an accepted outcome is reported as accepted'],
    faults: ['failAfter', 'hangAfter'],
  },
  {
    name: 'cursor-outside-transaction',
    what: 'The cursor moves first, and the ledger is written in a separate transaction.',
    store: 'cursor-outside-transaction',
    noticedBy: ['I6'],
    faults: ['crash', 'hangAfter'],
  },
  {
    name: 'slot-not-unique',
    what: 'A slot is planned although another planner moved its cursor, and a second decision replaces the first.',
    store: 'slot-not-unique',
    noticedBy: ['I1'],
    faults: [],
  },
  {
    name: 'lease-by-worker-clock',
    what: 'A lease expires by the clock of the worker that renews it.',
    store: 'lease-by-worker-clock',
    noticedBy: ['a living worker is not fenced', 'L1'],
    faults: [],
  },
  {
    name: 'reaper-without-grace',
    what: 'The reaper fences every session that looks expired at its first pass, also after a gap.',
    wiring: hastyReaper,
    noticedBy: ['a living worker is not fenced'],
    faults: ['outage'],
  },
  {
    name: 'give-back-started',
    what: 'A worker treats everything that it holds as stray and gives it back.',
    wiring: straysUnknown,
    noticedBy: ['a duplicate is flagged', 'I14'],
    faults: ['failAfter', 'failBefore'],
  },
  {
    name: 'start-not-marked',
    what: 'A run that must not start twice starts without its mark.',
    wiring: unmarkedStarts,
    noticedBy: ['I14', 'L1'],
    faults: [],
  },
  {
    name: 'key-not-freed',
    what: 'The end of a run does not release its key.',
    store: 'key-not-freed',
    noticedBy: ['I15'],
    faults: [],
  },
  {
    name: 'hold-not-freed',
    what: 'The end of a run does not release its job.',
    store: 'hold-not-freed',
    noticedBy: ['I15'],
    faults: [],
  },
  {
    name: 'claim-without-session-guard',
    what: 'A claim does not check its session: a session that the reaper fenced continues to claim.',
    store: 'claim-without-session-guard',
    noticedBy: ['I8'],
    faults: ['pause', 'crash'],
  },
  {
    name: 'retry-keeps-lease',
    what: 'An attempt to be retried is queued, and its lease stays.',
    store: 'retry-keeps-lease',
    noticedBy: ['I10'],
    faults: [],
  },
  {
    name: 'reap-forgets-crash',
    what: 'The runs of a dead worker come back as if they had never been claimed.',
    store: 'reap-forgets-crash',
    noticedBy: ['a duplicate is flagged', 'L1'],
    faults: ['pause', 'crash'],
  },
  {
    name: 'replay-keeps-letter-open',
    what: 'A replay does not close its dead letter: the next replay runs it again.',
    store: 'replay-keeps-letter-open',
    noticedBy: ['a dead letter is replayed once'],
    faults: [],
  },
  {
    name: 'edit-while-running',
    what: 'An edit also replaces the payload of a run that has begun.',
    store: 'edit-while-running',
    noticedBy: ['an edit changes only what has not begun'],
    faults: [],
  },
  {
    name: 'claim-from-paused-queue',
    what: 'A claim does not read the pauses.',
    store: 'claim-from-paused-queue',
    noticedBy: ['a paused queue starts nothing'],
    faults: [],
  },
  {
    name: 'gate-without-places',
    what: 'A claim leases every run of a concurrency key, however many are running.',
    store: 'gate-without-places',
    noticedBy: ['a key has no more leases than its limit'],
    faults: [],
    flow: true,
  },
  {
    name: 'gate-overtaken',
    what: 'A claim gives a free place of a concurrency key to a run behind the runs that wait.',
    store: 'gate-overtaken',
    noticedBy: ['runs of a key start in order'],
    faults: ['failBefore', 'hangBefore'],
    flow: true,
  },
  {
    name: 'gate-not-released',
    what: 'A free place of a concurrency key is not given to the runs that wait.',
    store: 'gate-not-released',
    noticedBy: ['L1'],
    faults: [],
    flow: true,
  },
  {
    name: 'gate-not-freed',
    what: 'The end of a run leaves its row of flow control.',
    store: 'gate-not-freed',
    noticedBy: ['I15'],
    faults: [],
    flow: true,
  },
  {
    name: 'rate-not-charged',
    what: 'Starts are not charged to their rate.',
    store: 'rate-not-charged',
    noticedBy: ['no more runs start than a rate allows'],
    faults: [],
    flow: true,
  },
  {
    name: 'limit-not-counted',
    what: 'A claim does not read the limits of queues.',
    store: 'limit-not-counted',
    noticedBy: ['a queue has no more leases than its limit', 'no more runs start'],
    faults: [],
    flow: true,
  },
  {
    name: 'limit-not-charged',
    what: 'Starts are not charged to the rate of their queue.',
    store: 'limit-not-charged',
    noticedBy: ['no more runs start than a rate allows'],
    faults: [],
    flow: true,
  },
  {
    name: 'edit-keeps-planned',
    what: 'A change of a job does not take back its planned runs.',
    store: 'edit-keeps-planned',
    noticedBy: ['I1', 'I6', 'L1', 'auditors find nothing'],
    faults: [],
  },
  {
    name: 'pause-keeps-cursor',
    what: 'A pause takes back planned runs and leaves the cursor behind their slots.',
    store: 'pause-keeps-cursor',
    noticedBy: ['I6', 'auditors find nothing'],
    faults: [],
  },
  {
    name: 'submit-again-queues-twice',
    what: 'A repeated submission queues its runs again.',
    store: 'submit-again-queues-twice',
    noticedBy: ['I10', 'I5'],
    faults: ['failAfter'],
  },
]

/** Short leases expire more often. */
const LEASE_MAX_MS = 3_000

export function optionsOf(mutant: Mutant, seed: number): SimulationOptions {
  const enabled = new Set(mutant.faults)
  return {
    seed,
    change: (settings) => ({
      ...settings,
      leaseMs: Math.min(settings.leaseMs, LEASE_MAX_MS),
      flow: mutant.flow ?? settings.flow,
      faults: { enabled, callPercent: 20, everyMs: 3_000 },
    }),
    mutants: new Set(mutant.store ? [mutant.store] : []),
    wiring: mutant.wiring ?? noWiringMutants,
  }
}
