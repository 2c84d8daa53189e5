/**
 * Forty seconds of chaos, scripted scenarios at a small scale, and three mutants that must be
 * caught.
 */
import { expect, it } from 'vitest'
import { runChaos } from './chaos-process.ts'

const TIMEOUT_MS = 400_000
/** Different each time: more histories are tested. A failure prints it. */
const seed = Date.now() % 1_000_000

it('40 s of chaos violate no invariant (cases 11, 45, 47, 54, 56, 74-76)', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { code, output, verdict } = await runChaos([...['--seconds', '40', '--seed', String(seed)]])
  expect(verdict, output).toMatchObject({
    ...{ missing: 0, duplicateAccepted: 0, staleAccepted: 0, orphans: 0 },
    ...{ unflaggedDuplicates: 0, wronglyFlagged: 0, verdict: 'pass' },
  })
  expect(Object.keys(verdict)).toEqual([
    ...['slots', 'submitted', 'missing', 'duplicateAccepted', 'staleAccepted'],
    ...['unflaggedDuplicates', 'wronglyFlagged', 'orphans', 'faults', 'availability'],
    ...['latenessP99Ms', 'recoveryMs', 'verdict'],
  ])
  expect(Object.keys(verdict.faults as object)).toEqual(
    expect.arrayContaining(['kill9', 'stop', 'commitReplyLost', 'answerLost', 'failover']),
  )
  expect(code).toBe(0)
})

it.for([
  ['worker-dies', '(case 9)'],
  ['heartbeat-path-away', ''],
  ['controllers-die', '(case 13)'],
  ['liveness-data-lost', ''],
  ['late-finish', '(case 19)'],
  ['database-away', '(case 26)'],
  ['nodes-die', ''],
])('the scenario %s passes %s', { timeout: TIMEOUT_MS, concurrent: true }, async ([scenario]) => {
  const { code, output } = await runChaos(['--scenario', scenario as string, '--scale', '0.1'])
  expect(code, output).toBe(0)
})

it.for([
  ['settle-without-fence', 'late-finish'],
  ['crash-unrecorded', 'worker-dies'],
  ['remote-settle-unfenced', 'remote-late-finish'],
] as const)(
  'the mutant %s fails the scenario %s',
  {
    timeout: TIMEOUT_MS,
    concurrent: true,
  },
  async ([mutant, scenario]) => {
    const { code, output } = await runChaos(['--scenario', scenario, '--mutant', mutant])
    expect(code, output).toBe(1)
  },
)
