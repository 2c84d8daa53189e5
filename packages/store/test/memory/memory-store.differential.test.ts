/**
 * Keeps the store in memory equal to the PostgreSQL store that it models: random histories are
 * played on both, and every answer and every table is compared after each step.
 */
import type { ClaimedRun } from '@punctual/core/ports'
import { postgresMajors, succeeded, TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kinds, perform, stepOf } from './steps.ts'
import { claim, settle, submit } from './twin-runs.ts'
import { Twins } from './twins.ts'

const HISTORIES = 20

describe.each(postgresMajors)('compared with PostgreSQL %s', (major) => {
  let t: TestStore
  beforeAll(async () => {
    t = await TestStore.open({ major })
  })
  afterAll(() => t.close())

  it('a random history gives the same answers and rows in memory and in PostgreSQL', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepOf(kinds), { minLength: 10, maxLength: 40 }), async (steps) => {
        const twins = await Twins.open(t)
        for (const one of steps) {
          await twins.pass()
          await perform(twins, one)
          await twins.compare()
        }
      }),
      { numRuns: HISTORIES, endOnFailure: true },
    )
  })

  it('a store in memory that behaves differently is noticed', async () => {
    const twins = await Twins.open(t, new Set(['key-not-freed']))
    await submit(twins, { key: 'a' })
    await claim(twins, 0, 1)
    const [run] = twins.held[0] as [ClaimedRun]
    await settle(twins, 0, [succeeded(run)])
    await expect(twins.compare()).rejects.toThrow()
  })
})
