/**
 * The faults between a node and the server, and how often they happen: each seed enables some of
 * it.
 */
import type { Chance } from './chance.ts'

/**
 * - `failBefore`: the connection is lost before the server receives the call.
 * - `failAfter`: the server applies the call, and the answer is lost.
 * - `hangBefore`, `hangAfter`: the same, and the client notices only after its full timeout.
 * - `applyLate`: the server applies the call after the client has given up.
 * - `deadlock`: the server applies nothing and reports a deadlock.
 * - `delay`, `delayAnswer`: the call, or its answer, is delayed.
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
 * - `crash`: a node dies with its memory and comes back.
 * - `pause`: a node stops for longer than its lease and continues.
 * - `stop`: a node is asked to stop, drains, and comes back.
 * - `outage`: no node can reach the server.
 * - `restart`: the server goes down and comes back at once.
 * - `readOnly`: the server refuses writes for a while.
 * - `failOver`: a server that has every commit takes over.
 * - `loseCommits`: a server that lacks commits takes over: acknowledged work is gone.
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
  /** The percentage of calls with a fault. */
  readonly callPercent: number
  /** The average interval between two world faults. */
  readonly everyMs: number
}

/** Swarm testing: many kinds at once hide each other, so a seed has some of them, or none. */
export function faultsOf(chance: Chance): FaultPlan {
  const share = chance.pick([0, 0.2, 0.4, 0.6])
  const enabled = new Set<Fault>()
  for (const fault of [...callFaults, ...worldFaults]) if (chance.chance(share)) enabled.add(fault)
  // Only the server fails: then no living worker may be declared dead.
  if (chance.chance(0.15)) {
    for (const fault of [...callFaults, 'stepDatabase', 'readOnly'] as const) enabled.delete(fault)
    enabled.add('outage')
  }
  // Lost commits void most promises, so separate seeds have them.
  if (!chance.chance(0.3)) enabled.delete('loseCommits')
  return {
    enabled,
    callPercent: chance.pick([1, 3, 8, 20]),
    everyMs: chance.pick([2_000, 5_000, 15_000]),
  }
}
