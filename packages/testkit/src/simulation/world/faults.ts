/** What can go wrong between a node and the server, and how often: each seed takes a part of it. */
import type { Chance } from './chance.ts'

/**
 * - `failBefore`: the connection is lost, and the server has not seen the call.
 * - `failAfter`: the server has done it, and the answer is lost.
 * - `hangBefore`, `hangAfter`: the same, and it takes the client its whole patience to notice.
 * - `applyLate`: the client has given up, and then the server does it.
 * - `deadlock`: the server did nothing and says so.
 * - `delay`, `delayAnswer`: it takes long until it is done, or until that is known.
 */
export const callFaults = [
  'failBefore',
  'failAfter',
  'hangBefore',
  'hangAfter',
  'applyLate',
  'deadlock',
  'delay',
  'delayAnswer',
] as const

export type CallFault = (typeof callFaults)[number]

/**
 * - `crash`: a node dies with all that it knows, and comes back.
 * - `pause`: a node stops for longer than its lease, and goes on.
 * - `stop`: a node is told to stop, drains, and comes back.
 * - `outage`: the server is away for all.
 * - `restart`: the server goes and comes back at once.
 * - `readOnly`: the server takes no writes for a while.
 * - `failOver`: another server takes over that has seen everything.
 * - `loseCommits`: one that has not: what was acknowledged is gone.
 * - `stepDatabase`: the database's clock jumps.
 * - `stepNode`: the wall clock of a node jumps.
 * - `loseHints`: hints do not arrive for a while.
 */
export const worldFaults = [
  'crash',
  'pause',
  'stop',
  'outage',
  'restart',
  'readOnly',
  'failOver',
  'loseCommits',
  'stepDatabase',
  'stepNode',
  'loseHints',
] as const

export type WorldFault = (typeof worldFaults)[number]
export type Fault = CallFault | WorldFault

export interface FaultPlan {
  readonly enabled: ReadonlySet<Fault>
  /** How many calls of a hundred meet a fault. */
  readonly callPercent: number
  /** On average so long between two faults of the world. */
  readonly everyMs: number
}

/** A swarm: many kinds at once hide each other, so a seed has some of them, or none. */
export function faultsOf(chance: Chance): FaultPlan {
  const share = chance.pick([0, 0.2, 0.4, 0.6])
  const enabled = new Set<Fault>()
  for (const fault of [...callFaults, ...worldFaults]) if (chance.chance(share)) enabled.add(fault)
  // The server alone is to blame: then nobody who lives may be taken for dead.
  if (chance.chance(0.15)) {
    for (const fault of [...callFaults, 'stepDatabase', 'readOnly'] as const) enabled.delete(fault)
    enabled.add('outage')
  }
  // Lost commits void most of what is promised: they have seeds of their own.
  if (!chance.chance(0.3)) enabled.delete('loseCommits')
  return {
    enabled,
    callPercent: chance.pick([1, 3, 8, 20]),
    everyMs: chance.pick([2_000, 5_000, 15_000]),
  }
}
