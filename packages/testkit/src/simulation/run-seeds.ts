/** Runs many seeds in turn and adds up their results. */
import { type SimulationOptions, type SimulationResult, simulate } from './simulate.ts'

export interface SeedsOptions {
  readonly from: number
  /** The number of seeds; ignored when `slots` is given. */
  readonly seeds: number
  readonly slots?: number
  readonly events?: number
  readonly optionsOf?: (seed: number) => SimulationOptions
  readonly onSeed?: (total: Total) => void
}

export interface Total {
  readonly seeds: number
  readonly events: number
  readonly runs: number
  readonly slots: number
  readonly effects: number
  readonly duplicates: number
  readonly faults: Readonly<Record<string, number>>
  /** The results of the seeds that broke an invariant. */
  readonly failed: readonly SimulationResult[]
}

const FAILED_MAX = 10

export async function runSeeds(options: SeedsOptions): Promise<Total> {
  const { from, slots, events } = options
  const optionsOf = options.optionsOf ?? ((seed) => ({ seed, ...(events && { events }) }))
  const isEnough = (total: Total) =>
    slots === undefined ? total.seeds >= options.seeds : total.slots >= slots
  let total: Total = {
    ...{ seeds: 0, events: 0, runs: 0, slots: 0, effects: 0, duplicates: 0 },
    ...{ faults: {}, failed: [] },
  }
  for (let seed = from; !isEnough(total) && total.failed.length < FAILED_MAX; seed++) {
    total = added(total, await simulate(optionsOf(seed)))
    options.onSeed?.(total)
  }
  return total
}

function added(total: Total, result: SimulationResult): Total {
  const faults = { ...total.faults }
  for (const [fault, count] of result.faults) faults[fault] = (faults[fault] ?? 0) + count
  return {
    seeds: total.seeds + 1,
    events: total.events + result.events,
    runs: total.runs + result.runs,
    slots: total.slots + result.slots,
    effects: total.effects + result.effects,
    duplicates: total.duplicates + result.duplicates,
    faults,
    failed: result.violations.length > 0 ? [...total.failed, result] : total.failed,
  }
}
