/** Five hundred seeds of the product under faults, and the proof that the simulation finds bugs. */
import { describe, expect, it } from 'vitest'
import { minimise } from '../../src/simulation/minimise.ts'
import { mutants, optionsOf } from '../../src/simulation/mutants.ts'
import { runSeeds } from '../../src/simulation/run-seeds.ts'
import { simulate } from '../../src/simulation/simulate.ts'
import { callFaults, worldFaults } from '../../src/simulation/world/faults.ts'

const SEEDS = 500
const MUTANT_SEEDS = 100

it('five hundred seeds of faults break no invariant, and every run ends after the faults', async () => {
  const { failed, events, faults } = await runSeeds({ from: 1, seeds: SEEDS })
  const broken = failed.map(({ seed, violations }) => {
    return `npm run simulate -- --seed ${seed} # ${violations[0]?.message}`
  })
  expect(broken).toEqual([])
  expect(events / SEEDS).toBeGreaterThan(500)
  expect(Object.keys(faults).sort()).toEqual([...callFaults, ...worldFaults].sort())
}, 600_000)

it('the same seed gives the same trace, and another seed a different one', async () => {
  const once = await simulate({ seed: 7 })
  const again = await simulate({ seed: 7 })
  const other = await simulate({ seed: 8 })
  expect(again.hash).toBe(once.hash)
  expect(again.trace).toEqual(once.trace)
  expect(other.hash).not.toBe(once.hash)
})

it('at least five hundred events happen before faults stop', async () => {
  for (const seed of [1, 2, 3]) expect((await simulate({ seed })).events).toBeGreaterThan(500)
})

describe('a mutant of the product is noticed', () => {
  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
    '%s',
    async (_, mutant) => {
      for (let seed = 1; seed <= MUTANT_SEEDS; seed++) {
        const { violations } = await simulate(optionsOf(mutant, seed))
        const [first] = violations
        if (!first) continue
        expect(mutant.noticedBy.some((name) => first.invariant.startsWith(name))).toBe(true)
        return
      }
      expect.unreachable(`${mutant.name} was not noticed in ${MUTANT_SEEDS} seeds`)
    },
    120_000,
  )
})

it('a failure is reduced to the faults that it needs', async () => {
  const options = { seed: 1, mutants: new Set(['key-not-freed'] as const) }
  const failure = await simulate(options)
  expect(failure.violations[0]?.invariant).toBe('I15 an end frees the key')
  const least = await minimise(options, failure)
  expect([...least.settings.faults.enabled]).toEqual([])
})
