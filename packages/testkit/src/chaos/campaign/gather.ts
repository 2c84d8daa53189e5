/** The two ends of a campaign: the declarations before it starts, and the final read after it. */

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
 * From the first slot to the end of the jobs, by the monotonic clock, with the offset that converts
 * to wall time.
 */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
  readonly wallOffsetMs: number
}

const MARGIN_MIN_MS = 6_000

/**
 * Creates the schema, the table of effects and the jobs, or the API keys when there are no jobs;
 * returns how long the process took. A start in the past creates no missed slots: jobs declared too
 * late would lack their first slot.
 */
export async function declare(world: World, jobs: readonly ChaosJob[]): Promise<number> {
  const beganMs = monotonicMs()
  const { leaseMs, seed, programs } = world.options
  await world.cluster.query(
    `create table if not exists chaos_effects
     (run_id uuid not null, attempt integer not null, pid integer not null)`,
  )
  const declared = await runOnce<{ keys: ChaosKeys }>(`${programs}/declare.js`, {
    ...{ name: 'declare', directory: world.root, leaseMs, seed, more: { jobs } },
    databaseUrl: world.cluster.url,
  })
  if (declared) world.tell({ keys: declared.keys })
  if (jobs.some((job) => job.anchorMs <= Date.now()))
    throw new Error('This machine is too busy: the jobs were declared after their first slot.')
  return monotonicMs() - beganMs
}

/** The lead time that guarantees that jobs are declared before their first slot. */
export function marginMs(declaredInMs: number): number {
  return Math.max(MARGIN_MIN_MS, Math.round(declaredInMs * 4))
}

/**
 * Waits until no run is live and no slot is unplanned; returns the live runs left when it gives up.
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
  const answer = await runOnce<{ flagged: string[] }>(`${options.programs}/read-flags.js`, {
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
    flagged: new Set(answer?.flagged ?? []),
  }
}
