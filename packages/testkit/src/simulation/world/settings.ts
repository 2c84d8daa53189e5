/**
 * The properties of the world that a seed decides in advance: short leases, batches of one, few or
 * many nodes.
 */
import type { Chance } from './chance.ts'
import { type FaultPlan, faultsOf } from './faults.ts'

export interface Settings {
  readonly nodes: number
  readonly leaseMs: number
  readonly concurrency: number
  readonly horizonMs: number
  readonly planAheadMs: number
  readonly batch: number
  readonly hints: boolean
  /** Up to this many lanes, each claim covers them all. */
  readonly fewLanes: number
  /** Planners do not know of each other: each plans everything. */
  readonly race: boolean
  /** The largest error of a wall clock. */
  readonly skewMs: number
  /** The largest relative error of a machine's clock rate. */
  readonly drift: number
  readonly jobs: number
  /** How long users are active and faults happen. */
  readonly activeMs: number
  readonly handlerMsMax: number
  readonly faults: FaultPlan
  /** Runs have keys and rates, and users limit queues. */
  readonly flow: boolean
}

export function settingsOf(chance: Chance): Settings {
  return {
    nodes: chance.int(1, 4),
    leaseMs: chance.pick([1_000, 3_000, 10_000, 30_000]),
    concurrency: chance.pick([1, 2, 5, 20]),
    horizonMs: chance.pick([2_000, 10_000, 60_000]),
    planAheadMs: chance.pick([2_000, 5_000, 20_000]),
    batch: chance.pick([1, 3, 1_000]),
    hints: chance.chance(0.7),
    fewLanes: chance.chance(0.5) ? 0 : 64,
    race: chance.chance(0.4),
    skewMs: chance.pick([0, 0, 5_000, 600_000]),
    drift: chance.pick([0, 0, 0.05]),
    jobs: chance.int(1, 3),
    activeMs: 15_000,
    handlerMsMax: 1_500,
    faults: faultsOf(chance),
    flow: chance.chance(0.5),
  }
}

/** More planned work, for simulations of a given number of slots. */
export function withManySlots(settings: Settings): Settings {
  return {
    ...{ ...settings, jobs: 20, activeMs: 60_000, handlerMsMax: 100 },
    ...{ concurrency: Math.max(20, settings.concurrency), batch: 1_000, flow: false },
  }
}
