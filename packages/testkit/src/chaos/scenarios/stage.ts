/**
 * The environment of a scripted scenario: a small world, a library to submit with, and the ledgers
 * and checker of the campaign. A scenario adds its own expectations.
 */
import { Punctual } from 'punctual'
import type { Judged } from '../campaign/campaign.ts'
import { declare, gather, marginMs, quiesce } from '../campaign/gather.ts'
import { check } from '../check/check.ts'
import { groupBy } from '../check/index-evidence.ts'
import { pause } from '../faults/nemesis.ts'
import type { Sizes } from '../fleet/child.ts'
import type { Evidence } from '../plan/evidence.ts'
import { type EffectLine, LedgerWriter, monotonicMs, readLedger } from '../plan/ledger.ts'
import type { ChaosJob, Kind } from '../plan/workload.ts'
import { World } from '../world/world.ts'

export interface StageOptions {
  readonly programs: string
  readonly seed: number
  readonly leaseMs: number
  readonly keep: boolean
  readonly say: (line: string) => void
  /** The size of the scenario: 1 is the whole one, less is a shorter one. */
  readonly scale: number
}

export interface Expectation {
  readonly what: string
  readonly holds: boolean
}

export interface Scenario {
  readonly name: string
  readonly title: string
  readonly sizes: Sizes
  /** Plays the scenario; resolves with its judge. */
  play(stage: Stage): Promise<Judge>
}

/** The expectations at the end, in addition to the general ones. */
export type Judge = (evidence: Evidence) => readonly Expectation[]

const QUIESCE_MS = 180_000
const PATIENCE_MS = 60_000
const LOOK_MS = 200

export class Stage {
  readonly world: World
  readonly options: StageOptions
  readonly punctual: Punctual
  /** The lead time before the first slot of jobs. */
  readonly marginMs: number
  readonly #ledger: LedgerWriter
  readonly #fromMs = monotonicMs()
  readonly #wallOffsetMs = Date.now() - monotonicMs()
  readonly jobs: ChaosJob[] = []
  #asksMade = 0

  private constructor(world: World, options: StageOptions, punctual: Punctual, marginMs: number) {
    this.world = world
    this.options = options
    this.punctual = punctual
    this.marginMs = marginMs
    this.#ledger = new LedgerWriter(world.root, 'scenario')
  }

  static async play(scenario: Scenario, options: StageOptions): Promise<Judged> {
    const { programs, seed, leaseMs, keep, say } = options
    say(`chaos: ${scenario.name}: ${scenario.title}`)
    const world = await World.start({
      ...{ programs, seed, leaseMs, sizes: scenario.sizes, pooled: [], keep },
    })
    let stage: Stage | null = null
    try {
      const declaredInMs = await declare(world, [])
      const punctual = await Punctual.start({
        ...{ databaseUrl: world.cluster.url, roles: [], migrate: false },
      })
      stage = new Stage(world, options, punctual, marginMs(declaredInMs))
      const judge = await scenario.play(stage)
      return await stage.#judge(judge)
    } finally {
      await stage?.punctual.stop()
      await world.stop()
    }
  }

  async #judge(judge: Judge): Promise<Judged> {
    await quiesce(this.world, QUIESCE_MS, this.options.say)
    const span = { fromMs: this.#fromMs, untilMs: monotonicMs(), wallOffsetMs: this.#wallOffsetMs }
    const evidence = await gather(this.world, this.jobs, span)
    const { leaseMs } = this.options
    const verdict = check(evidence, { leaseMs, heldUpMs: this.world.heldUpMs })
    const expectations = judge(evidence)
    for (const { what, holds } of expectations)
      this.options.say(`  ${holds ? 'yes' : 'NO '}  ${what}`)
    const pass = verdict.pass && expectations.every((expectation) => expectation.holds)
    return { verdict: { ...verdict, pass }, evidence, world: this.world }
  }

  /** The wall time `ms` from now, rounded up to a full second. */
  wholeSecondIn(ms: number): number {
    return Math.ceil((Date.now() + ms) / 1_000) * 1_000
  }

  /** Submits runs of this duration, and records that they were acknowledged. */
  async submit(kind: Kind, count: number, takesMs: number): Promise<string[]> {
    const asks = Array.from({ length: count }, () => `scenario-${++this.#asksMade}`)
    const payloads = asks.map((ask) => ({ kind, ask, job: null, takesMs, throwsUntil: 0 }))
    const note = (what: 'asked' | 'acknowledged', ask: string, run: string | null) =>
      this.#ledger.append({
        ...{ what, ask, kind, key: null, run, created: run === null ? null : true, error: null },
        ...{ process: 'scenario', monotonicMs: monotonicMs() },
      })
    for (const ask of asks) note('asked', ask, null)
    const runs = await this.punctual.submitMany(kind, payloads)
    for (const [i, { id }] of runs.entries()) note('acknowledged', asks[i] as string, id)
    return runs.map((run) => run.id)
  }

  startsOf(runs: readonly string[]): EffectLine[] {
    const wanted = new Set(runs)
    return startLines(readLedger(this.world.root)).filter((line) => wanted.has(line.run))
  }

  /** Resolves when each of these runs has started this many times. */
  async started(runs: readonly string[], times = 1): Promise<EffectLine[]> {
    await this.#until(`${runs.length} runs have started ${times} times`, PATIENCE_MS, () => {
      const counts = groupBy(this.startsOf(runs), (line) => line.run)
      return runs.every((run) => (counts.get(run)?.length ?? 0) >= times)
    })
    return this.startsOf(runs)
  }

  /** Resolves when each of these runs has an outcome. */
  async ended(runs: readonly string[]): Promise<void> {
    const text = 'select count(*)::integer as n from punctual.outcomes where run_id = any ($1)'
    await this.#until(`${runs.length} runs have ended`, QUIESCE_MS, async () => {
      const [row] = await this.world.cluster.query<{ n: number }>(text, [runs])
      return row?.n === runs.length
    })
  }

  /** Polls slowly: all traffic passes through this process, which must not be busy polling. */
  async #until(what: string, boundMs: number, look: () => Promise<boolean> | boolean) {
    const endMs = monotonicMs() + boundMs
    while (!(await look())) {
      if (monotonicMs() > endMs) throw new Error(`Timed out after ${boundMs} ms: ${what}`)
      await pause(LOOK_MS, new AbortController().signal)
    }
  }
}

function startLines({ effects }: { readonly effects: readonly EffectLine[] }): EffectLine[] {
  return effects.filter((line) => line.what === 'start')
}

/** The number of starts of each run. */
export function startCounts(evidence: Evidence): Map<string, number> {
  const groups = groupBy(startLines(evidence.ledger), (line) => line.run)
  return new Map([...groups].map(([run, lines]) => [run, lines.length]))
}
