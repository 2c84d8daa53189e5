/** The checker works: each kind of violation is found in evidence that contains only that one. */
import { expect, it } from 'vitest'
import type { Evidence, ObservedRun, ViolationKind } from '../plan/evidence.ts'
import type { AskLine, EffectLine } from '../plan/ledger.ts'
import type { ChaosJob, ChaosPayload, Kind } from '../plan/workload.ts'
import { check } from './check.ts'

const ANCHOR_MS = 1_000_000
const DEMANDS = { leaseMs: 5_000, heldUpMs: 100 }
const job: ChaosJob = {
  ...{ name: 'job', kind: 'quick', everyMs: 1_000, anchorMs: ANCHOR_MS, endMs: ANCHOR_MS + 2_000 },
  ...{ cron: null, overlap: 'allow' },
}
const payloadOf = (kind: Kind, given: Partial<ChaosPayload>): ChaosPayload => {
  return { kind, ask: null, job: null, takesMs: 0, throwsUntil: 0, ...given }
}

function aRun(id: string, more: Partial<ObservedRun> = {}): ObservedRun {
  return {
    ...{ id, job: null, slotMs: null, dueMs: ANCHOR_MS, payload: payloadOf('quick', { ask: id }) },
    ...{ state: 'succeeded', outcomes: 1, fence: `${id}-1`, output: { fence: `${id}-1` } },
    ...{ reason: null, finishedMs: ANCHOR_MS + 1_500, effects: 0, refused: [] },
    attempts: [{ fence: `${id}-1`, outcome: 'succeeded' }],
    ...more,
  }
}

function start(run: string, n: number, atMs: number, more: Partial<EffectLine> = {}): EffectLine {
  return {
    ...{ what: 'start', run, attempt: n, fence: `${run}-${n}`, ask: run, job: null, slotMs: null },
    ...{ dueMs: ANCHOR_MS, kind: 'quick', process: 'worker-1', pid: 1, wallMs: atMs },
    ...{ monotonicMs: atMs, ...more },
  }
}

function askLine(ask: string, what: AskLine['what'], run: string | null = null): AskLine {
  const base = { what, ask, kind: 'quick', key: null, run, created: null, error: null }
  return { ...base, process: 'submitter-1', monotonicMs: ANCHOR_MS }
}

const slotRun = (id: string, slotMs: number): ObservedRun =>
  aRun(id, { job: 'job', slotMs, dueMs: slotMs, payload: payloadOf('quick', { job: 'job' }) })
const slotStart = (id: string, slotMs: number): EffectLine =>
  start(id, 1, slotMs + 5, { job: 'job', slotMs, dueMs: slotMs, ask: null })

/** Two slots and one submission without any violation. */
function whole(): Evidence {
  const [first, second] = [ANCHOR_MS, ANCHOR_MS + 1_000]
  return {
    ...{ jobs: [job], strayEffects: 0, heldByEnded: 0, faults: [], wallOffsetMs: 0 },
    ...{ fromMs: ANCHOR_MS, untilMs: ANCHOR_MS + 2_000, flagged: new Set<string>(), ownDeaths: [] },
    runs: [slotRun('s1', first), slotRun('s2', second), aRun('r')],
    slots: [
      { job: 'job', slotMs: first, run: 's1', slots: 1 },
      { job: 'job', slotMs: second, run: 's2', slots: 1 },
    ],
    ledger: {
      asks: [askLine('r', 'asked'), askLine('r', 'acknowledged', 'r')],
      effects: [slotStart('s1', first), start('r', 1, ANCHOR_MS + 10), slotStart('s2', second)],
    },
  }
}

const withRun = (run: ObservedRun): Evidence => {
  const evidence = whole()
  return { ...evidence, runs: [...evidence.runs.filter((other) => other.id !== run.id), run] }
}
const withStarts = (evidence: Evidence, ...effects: readonly EffectLine[]): Evidence => {
  return { ...evidence, ledger: { ...evidence.ledger, effects } }
}
const starts = whole().ledger.effects

function kindsIn(evidence: Evidence): ViolationKind[] {
  return [...new Set(check(evidence, DEMANDS).violations.map((violation) => violation.kind))]
}

it('complete evidence passes', () => {
  expect(check(whole(), DEMANDS)).toMatchObject({ pass: true, slots: 2, submitted: 1 })
})

function withAsks(...asks: readonly AskLine[]): Evidence {
  const evidence = whole()
  return { ...evidence, ledger: { ...evidence.ledger, asks } }
}

const twice = start('r', 2, ANCHOR_MS + 500)

it.for<[string, ViolationKind, () => Evidence]>([
  [
    'a slot without a run',
    'missing',
    () => ({ ...whole(), runs: [slotRun('s1', ANCHOR_MS), aRun('r')] }),
  ],
  ['a slot without a decision', 'missing', () => ({ ...whole(), slots: whole().slots.slice(1) })],
  ['a run without an end', 'missing', () => withRun(aRun('r', { state: null, outcomes: 0 }))],
  [
    'a success that no handler ran',
    'missing',
    () => withStarts(whole(), ...starts.filter((start) => start.run !== 'r')),
  ],
  [
    'an unexplained death',
    'missing',
    () => withRun(aRun('r', { state: 'dead', reason: 'attempts' })),
  ],
  [
    'an acknowledged run that is missing',
    'missing',
    () => {
      const evidence = whole()
      const runs = evidence.runs.filter((run) => run.id !== 'r')
      return withStarts({ ...evidence, runs }, ...starts.filter((start) => start.run !== 'r'))
    },
  ],
  [
    'an acknowledgement that names a run of another submission',
    'missing',
    () => withAsks(askLine('r', 'asked'), askLine('r', 'acknowledged', 's1')),
  ],
  [
    'a valid submission that was refused',
    'missing',
    () => {
      const evidence = whole()
      const asks = [...evidence.ledger.asks, askLine('q', 'asked'), askLine('q', 'refused')]
      return withAsks(...asks)
    },
  ],
  [
    'half of a batch request',
    'missing',
    () => withAsks(...['r', 'q'].map((ask) => ({ ...askLine(ask, 'asked'), batch: 'b' }))),
  ],
  [
    'a success without its effect',
    'missing',
    () => withRun(aRun('r', { payload: payloadOf('committed', { ask: 'r' }) })),
  ],
  [
    'an effect that exists twice',
    'duplicateAccepted',
    () => withRun(aRun('r', { effects: 2, payload: payloadOf('committed', { ask: 'r' }) })),
  ],
  [
    'two concurrent runs of a key with limit one',
    'overcrowded',
    () => {
      const crowded = (id: string) =>
        aRun(id, { payload: payloadOf('quick', { ask: id, crowd: 'one-at-once' }) })
      const span = (id: string, fromMs: number) => [
        start(id, 1, ANCHOR_MS + fromMs),
        start(id, 1, ANCHOR_MS + fromMs + 10, { what: 'end' }),
      ]
      const evidence = whole()
      const runs = [
        ...evidence.runs.filter((other) => other.id !== 'r'),
        crowded('r'),
        crowded('q'),
      ]
      return withStarts({ ...evidence, runs }, ...starts, ...span('r', 20), ...span('q', 25))
    },
  ],
  ['two outcomes', 'duplicateAccepted', () => withRun(aRun('r', { outcomes: 2 }))],
  [
    'two outcomes of one attempt',
    'duplicateAccepted',
    () =>
      withRun(
        aRun('r', {
          attempts: [
            { fence: 'r-1', outcome: 'failed' },
            { fence: 'r-1', outcome: 'succeeded' },
          ],
        }),
      ),
  ],
  [
    'the output of another attempt',
    'staleAccepted',
    () => withRun(aRun('r', { output: { fence: 'r-0' } })),
  ],
  [
    'an outcome that was both accepted and refused',
    'staleAccepted',
    () => withRun(aRun('r', { refused: ['r-1'] })),
  ],
  [
    'an outcome after a newer start',
    'staleAccepted',
    () => ({ ...withStarts(whole(), ...starts, twice), flagged: new Set(['r']) }),
  ],
  [
    'two starts without a flag',
    'unflaggedDuplicates',
    () => withStarts(withRun(aRun('r', { finishedMs: ANCHOR_MS })), ...starts, twice),
  ],
  ['a flag without two starts', 'wronglyFlagged', () => ({ ...whole(), flagged: new Set(['r']) })],
  ['a key of an ended run', 'orphans', () => ({ ...whole(), heldByEnded: 1 })],
  ['a process that exited by itself', 'died', () => ({ ...whole(), ownDeaths: ['worker-1'] })],
  ['an effect without a run', 'orphans', () => ({ ...whole(), strayEffects: 1 })],
  [
    'a start of a run that does not exist',
    'orphans',
    () => withStarts(whole(), ...starts, start('x', 1, ANCHOR_MS + 1)),
  ],
  [
    'a run without a submission',
    'orphans',
    () => ({ ...whole(), ledger: { ...whole().ledger, asks: [] } }),
  ],
  [
    'a run of a refused submission',
    'orphans',
    () => ({ ...whole(), ledger: { ...whole().ledger, asks: [askLine('r', 'refused')] } }),
  ],
  [
    'a start before the due time',
    'early',
    () =>
      withStarts(
        whole(),
        ...starts.map((start) =>
          start.run === 'r' ? { ...start, monotonicMs: ANCHOR_MS - 50 } : start,
        ),
      ),
  ],
])('%s is found as %s', ([, kind, make]) => {
  expect(kindsIn(make())).toContain(kind)
})

it.for([
  ['within a lease, a poll and a second', 11_000, [], []],
  ['later', 12_000, [], ['slow']],
  ['later, during another fault', 12_000, ['reset'], []],
] as const)("a dead worker's run restarts %s", ([, afterMs, others, found]) => {
  const fault = { target: 'worker-1', pid: 1, fromMs: ANCHOR_MS + 20, untilMs: null, note: '' }
  const faults = ['kill9', ...others].map((kind) => ({ ...fault, kind }))
  const again = start('r', 2, fault.fromMs + afterMs, { pid: 2 })
  const crashed = aRun('r', {
    ...{ fence: 'r-2', output: { fence: 'r-2' }, finishedMs: again.monotonicMs + 10 },
    attempts: [
      { fence: 'r-1', outcome: 'crashed' },
      { fence: 'r-2', outcome: 'succeeded' },
    ],
  })
  const evidence = { ...withStarts(withRun(crashed), ...starts, again), faults }
  expect(kindsIn({ ...evidence, flagged: new Set(['r']) })).toEqual(found)
})

it('a planned fault that did not happen is found', () => {
  const { violations } = check(whole(), { ...DEMANDS, faults: ['kill9'] })
  expect(violations).toEqual([{ kind: 'spared', what: 'kill9 did not happen' }])
})

it('a wrongly labelled slot is found by time alone', () => {
  const evidence = whole()
  const mislabelled = slotStart('s2', ANCHOR_MS + 1_000)
  const atMs = ANCHOR_MS + 20
  const effects = starts.map((start) =>
    start.run === 's2' ? { ...mislabelled, monotonicMs: atMs, dueMs: 0 } : start,
  )
  const runs = evidence.runs.map((run) => (run.id === 's2' ? { ...run, dueMs: 0 } : run))
  expect(kindsIn(withStarts({ ...evidence, runs }, ...effects))).toEqual(['early', 'missing'])
})

it('an indeterminate submission may exist at most once', () => {
  const evidence = whole()
  const asks = [askLine('r', 'asked'), askLine('r', 'indeterminate')]
  const unknown = { ...evidence, ledger: { ...evidence.ledger, asks } }
  expect(kindsIn(unknown)).toEqual([])
  const again = aRun('r2', { payload: payloadOf('quick', { ask: 'r' }) })
  const two = withStarts(
    { ...unknown, runs: [...unknown.runs, again] },
    ...starts,
    start('r2', 1, ANCHOR_MS + 9),
  )
  expect(kindsIn(two)).toEqual(['duplicateAccepted'])
})

it('an older attempt that starts later, because its claim reply was late, is not newer', () => {
  const evidence = withRun(
    aRun('r', {
      ...{ fence: 'r-2', output: { fence: 'r-2' } },
      attempts: [
        { fence: 'r-1', outcome: 'crashed' },
        { fence: 'r-2', outcome: 'succeeded' },
      ],
    }),
  )
  const others = starts.filter((start) => start.run !== 'r')
  const late = [start('r', 2, ANCHOR_MS + 100), start('r', 1, ANCHOR_MS + 200)]
  expect(kindsIn({ ...withStarts(evidence, ...others, ...late), flagged: new Set(['r']) })).toEqual(
    [],
  )
})
