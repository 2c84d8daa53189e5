/**
 * Whichever changes and outages happen, every slot has one decision, and no more runs than allowed.
 */
import fc from 'fast-check'
import { type LabJob, ScheduleLab } from 'punctual/testing'
import { expect, it } from 'vitest'

const MINUTE = 60_000
const start = Date.UTC(2026, 2, 28, 20)
const length = 36 * 60 * MINUTE

const rhythm = fc.constantFrom<Partial<LabJob>>(
  { cron: '*/5 * * * *', timezone: 'Europe/Berlin' },
  { cron: '30 2 * * *', timezone: 'Europe/Berlin' },
  { cron: '*/20 * * * * *' },
  { every: '7m' },
  { every: '90s', startAt: new Date(start - 1_000) },
  { everyAfterEnd: '4m' },
  { at: new Date(start + 600 * MINUTE) },
)
const job = fc
  .record({
    rhythm,
    misfire: fc.constantFrom('all' as const, 'latest' as const, 'none' as const),
    overlap: fc.constantFrom('allow' as const, 'skip' as const, 'queue-one' as const),
    takesMs: fc.constantFrom(0, MINUTE, 9 * MINUTE),
    maxRuns: fc.option(fc.integer({ min: 1, max: 60 })),
    endAfterMs: fc.option(fc.integer({ min: MINUTE, max: length })),
  })
  .map(({ rhythm: when, maxRuns, endAfterMs, ...rest }) => ({
    ...{ name: 'job', ...when, ...rest },
    ...(maxRuns !== null && { maxRuns }),
    ...(endAfterMs !== null && { endAt: new Date(start + endAfterMs) }),
  }))
const atMs = fc.integer({ min: 0, max: length })
const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const, 'skip' as const), atMs }),
  fc.record({ kind: fc.constant('edit' as const), atMs, to: job }),
  fc.record({ kind: fc.constant('outage' as const), atMs, forMs: fc.nat(200 * MINUTE) }),
  fc.record({ kind: fc.constant('touch' as const), atMs }),
)

it('the ledger stays complete through any history', async () => {
  await fc.assert(
    fc.asyncProperty(
      job,
      fc.array(step, { maxLength: 12 }),
      fc.boolean(),
      async (first, steps, race) => {
        const planners = race ? [{ skewMs: 240_000 }, { skewMs: -100_000 }] : 1
        const lab = new ScheduleLab({ start, jobs: [first], planners, race })
        let current: LabJob = first
        const skips = new Set<number>()
        for (const step of steps) {
          const whenMs = start + step.atMs
          if (step.kind === 'outage') lab.outage(whenMs, whenMs + step.forMs)
          else if (step.kind === 'pause') lab.at(whenMs, () => lab.pause('job'))
          else if (step.kind === 'resume') lab.at(whenMs, () => lab.resume('job'))
          else
            lab.at(whenMs, () => {
              if (step.kind === 'edit') current = step.to
              if (step.kind !== 'skip') return lab.upsert({ ...current, description: `${whenMs}` })
              const ahead = lab.ledger('job').find(({ slotAt }) => slotAt > lab.now)
              if (!ahead || current.everyAfterEnd) return
              lab.skip('job', ahead.slotAt)
              skips.add(ahead.slotAt.getTime())
            })
        }
        await lab.run({ until: start + length })
        lab.resume('job')
        await lab.run({ until: start + length + 300 * MINUTE })
        expect(lab.verify()).toEqual({ holes: [], doubles: [] })
        const ledger = lab.ledger('job')
        const most = current.maxRuns ?? Number.POSITIVE_INFINITY
        if (steps.every(({ kind }) => kind !== 'edit'))
          expect(ledger.filter(({ run }) => run !== null).length).toBeLessThanOrEqual(most)
        for (const { slotAt, run, reason } of ledger) {
          if (skips.has(slotAt.getTime()) && reason === 'on-time') expect(run).toBeNull()
          if (run?.startedAt)
            expect(run.startedAt.getTime()).toBeGreaterThanOrEqual(slotAt.getTime())
        }
      },
    ),
    { numRuns: 300 },
  )
})
