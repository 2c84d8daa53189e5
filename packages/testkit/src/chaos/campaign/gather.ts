/**
 * The two ends of every run: what is declared before anything happens, and what is read when all is
 * over.
 */

import {
  countHeld,
  countLive,
  countStrayEffects,
  countUnplanned,
  observeRuns,
  observeSlots,
} from '../db/observe.ts'
import { pause } from '../faults/nemesis.ts'
import { runOnce } from '../fleet/run-once.ts'
import type { ChaosKeys } from '../plan/child-settings.ts'
import type { Evidence } from '../plan/evidence.ts'
import { monotonicMs, readLedger } from '../plan/ledger.ts'
import type { ChaosJob } from '../plan/workload.ts'
import type { World } from '../world/world.ts'

/**
 * From the first slot to the end of the jobs, by the monotonic clock, and what makes wall time of
 * it.
 */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
  readonly wallOffsetMs: number
}

const MARGIN_MIN_MS = 6_000

/**
 * Makes the schema, the table of effects and the jobs, or the keys of the API when there are none;
 * returns how long a process takes for that. A start in the past makes no missed slots: jobs that are declared too late would lack their first.
 */
export async function declare(world: World, jobs: readonly ChaosJob[]): Promise<number> {
  const beganMs = monotonicMs()
  const { leaseMs, seed, programs } = world.options
  await world.cluster.query(
    `create table if not exists chaos_effects
     (run_id uuid not null, attempt integer not null, pid integer not null)`,
  )
  const told = await runOnce<{ keys: ChaosKeys }>(`${programs}/declare.js`, {
    ...{ name: 'declare', directory: world.root, leaseMs, seed, more: { jobs } },
    databaseUrl: world.cluster.url,
  })
  if (told) world.tell({ keys: told.keys })
  if (jobs.some((job) => job.anchorMs <= Date.now()))
    throw new Error('This machine is too busy: the jobs were declared after their first slot.')
  return monotonicMs() - beganMs
}

/** Ahead of now by so much that jobs are surely declared before their first slot. */
export function marginMs(declaredInMs: number): number {
  return Math.max(MARGIN_MIN_MS, Math.round(declaredInMs * 4))
}

/**
 * Waits until nothing is live and nothing is left to plan; returns how many runs are when it gives
 * up.
 */
export async function quiesce(
  world: World,
  boundMs: number,
  say: (line: string) => void,
): Promise<number> {
  const endMs = monotonicMs() + boundMs
  let saidMs = monotonicMs()
  for (;;) {
    const places = await countLive(world.cluster)
    const unplanned = await countUnplanned(world.cluster)
    const live = Object.values(places).reduce((sum, count) => sum + count, 0)
    if (live + unplanned === 0 || monotonicMs() > endMs) return live
    if (monotonicMs() - saidMs > 5_000) {
      saidMs = monotonicMs()
      say(`chaos: waiting for ${JSON.stringify(places)}, ${unplanned} jobs to plan`)
    }
    await pause(250, new AbortController().signal)
  }
}

export async function gather(
  world: World,
  jobs: readonly ChaosJob[],
  span: Span,
): Promise<Evidence> {
  const { cluster, root, options } = world
  const runs = await observeRuns(cluster)
  const asked = await runOnce<{ flagged: string[] }>(`${options.programs}/read-flags.js`, {
    ...{ name: 'read-flags', directory: root, leaseMs: options.leaseMs, seed: 0, more: {} },
    databaseUrl: cluster.url,
  })
  return {
    ...{ jobs, runs, ...span, faults: world.faults },
    slots: await observeSlots(cluster),
    strayEffects: await countStrayEffects(cluster),
    heldByEnded: await countHeld(cluster),
    ledger: readLedger(root),
    ownDeaths: world.fleet.children.flatMap((child) => child.ownDeaths),
    flagged: new Set(asked?.flagged ?? []),
  }
}
