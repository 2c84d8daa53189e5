/**
 * The campaign: warm-up, faults, heal, wait until no run is live, final read, verdict. The seed
 * determines every random decision. It does not determine when the machine schedules a process, so
 * a seed repeats the plan of the faults, not the history.
 */
import { check, type Verdict } from '../check/check.ts'
import { pause } from '../faults/nemesis.ts'
import { nemeses, strikeAll } from '../faults/timetable.ts'
import type { Evidence } from '../plan/evidence.ts'
import { monotonicMs } from '../plan/ledger.ts'
import { SeededRandom } from '../plan/seeded-random.ts'
import { makeJobs } from '../plan/workload.ts'
import { World } from '../world/world.ts'
import { declare, gather, marginMs, quiesce, type Span } from './gather.ts'

export interface CampaignOptions {
  /** From the first slot to the last: calm, faults, calm. */
  readonly seconds: number
  readonly seed: number
  /** The folder of the children's compiled programs: of the product, or of a mutant of it. */
  readonly programs: string
  readonly jobs: number
  readonly keep: boolean
  readonly say: (line: string) => void
}

export interface Judged {
  readonly verdict: Verdict
  readonly evidence: Evidence
  readonly world: World
}

export const LEASE_MS = 5_000
const SIZES = { planner: 2, node: 2, worker: 4, remote: 2, submitter: 2 }
const POOLED = ['worker-4', 'submitter-2', 'node-2']
const KEYED_DELAY_MS = 25_000
const ASK_AGAIN_WITHIN_MS = 11_000
const SUBMITS_PER_SECOND = 5
const QUIESCE_MS = 120_000
/** Within this time every kind of fault happens. */
const EVERY_KIND_S = 120
const never = new AbortController().signal

export async function runCampaign(options: CampaignOptions): Promise<Judged> {
  const { seconds, seed, say, programs, keep } = options
  say(`chaos: seed ${seed}, ${seconds} s, lease ${LEASE_MS / 1_000} s`)
  const world = await World.start({
    ...{ programs, seed, leaseMs: LEASE_MS, sizes: SIZES, pooled: POOLED, keep },
  })
  try {
    // The first slot is fixed only after measuring how fast this machine is.
    const margin = marginMs(await declare(world, []))
    const fromMs = monotonicMs() + margin
    const span = {
      fromMs,
      untilMs: fromMs + seconds * 1_000,
      wallOffsetMs: Date.now() - monotonicMs(),
    }
    world.tell(submissionPlan(span))
    const wholeSecond = (ms: number) => Math.ceil((ms + span.wallOffsetMs) / 1_000) * 1_000
    const jobs = makeJobs(options.jobs, wholeSecond(span.fromMs), wholeSecond(span.untilMs))
    await declare(world, jobs)
    await world.fleet.start()
    say(`chaos: ${world.fleet.children.length} processes are up, ${jobs.length} jobs`)
    await strike(world, options, span)
    const live = await quiesce(world, QUIESCE_MS, say)
    const evidence = await gather(world, jobs, span)
    say(`chaos: read ${evidence.runs.length} runs, ${live} live`)
    const faults = seconds < EVERY_KIND_S ? [] : nemeses.map(({ kind }) => kind)
    const demands = { leaseMs: LEASE_MS, heldUpMs: world.heldUpMs, faults }
    return { verdict: check(evidence, demands), evidence, world }
  } finally {
    await world.stop()
  }
}

/** The settings of submitters. */
function submissionPlan({ untilMs }: Span): Record<string, unknown> {
  return {
    untilMs,
    keyedUntilMs: untilMs - KEYED_DELAY_MS / 2,
    perSecond: SUBMITS_PER_SECOND,
    keyedDelayMs: KEYED_DELAY_MS,
    askAgainWithinMs: ASK_AGAIN_WITHIN_MS,
  }
}

/** Injects faults in the middle of the campaign. */
async function strike(
  world: World,
  { seed, seconds, say }: CampaignOptions,
  { fromMs, untilMs }: Span,
): Promise<void> {
  const calmMs = Math.min(15_000, (seconds * 1_000) / 8)
  await pause(fromMs + calmMs - monotonicMs(), never)
  say('chaos: faults begin')
  const ending = AbortSignal.timeout(Math.max(1, Math.round(untilMs - calmMs - monotonicMs())))
  await strikeAll(world, new SeededRandom(seed), ending, (error) =>
    say(`chaos: a fault could not be injected: ${(error as Error).message}`),
  )
  say(`chaos: ${world.faults.length} faults; healed`)
  await pause(untilMs - monotonicMs(), never)
}
