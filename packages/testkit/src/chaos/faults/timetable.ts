/**
 * Concurrent lanes of faults: of processes, of the network, of the database. Each lane cycles
 * through its kinds in an order that the seed decides, so that every kind happens early and none is
 * omitted; the overlap between lanes is random.
 */
import type { SeededRandom } from '../plan/seeded-random.ts'
import type { World } from '../world/world.ts'
import { exhaust, failover, pgbouncerRestart, postmaster, standby } from './database-faults.ts'
import { type Nemesis, pause } from './nemesis.ts'
import {
  answerLost,
  blackhole,
  commitReplyLost,
  cutDown,
  cutUp,
  reset,
  slow,
} from './network-faults.ts'
import { clockStep, kill9, nodeKill9, rolling, stop } from './process-faults.ts'

const LANES: readonly (readonly Nemesis[])[] = [
  [stop],
  [kill9, nodeKill9],
  [rolling, clockStep],
  [blackhole, cutUp, cutDown, slow],
  [commitReplyLost, answerLost, reset],
  [postmaster, failover, exhaust, pgbouncerRestart, standby],
]

export const nemeses: readonly Nemesis[] = [...new Set(LANES.flat())]

/** Runs until the signal; resolves when every target is healthy again. */
export async function strikeAll(
  world: World,
  random: SeededRandom,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<void> {
  const lanes = LANES.map((lane, i) =>
    strikeLane(lane, world, random.branch(i + 1), signal, report),
  )
  await Promise.all(lanes)
}

async function strikeLane(
  lane: readonly Nemesis[],
  world: World,
  random: SeededRandom,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted)
    for (const nemesis of random.shuffled(lane)) {
      if (signal.aborted) return
      await nemesis.strike(world, random, signal).catch(report)
      await pause(random.between(200, 1_500), signal)
    }
}
