import { expect, it } from 'vitest'
import { SeededRandom } from './seeded-random.ts'

const drawn = (random: SeededRandom) => Array.from({ length: 20 }, () => random.between(0, 1_000))

it('the same seed gives the same sequence, another seed a different one', () => {
  expect(drawn(new SeededRandom(7))).toEqual(drawn(new SeededRandom(7)))
  expect(drawn(new SeededRandom(7))).not.toEqual(drawn(new SeededRandom(8)))
})

it('branches of one seed differ from each other and are repeatable', () => {
  const branches = (seed: number) => {
    const random = new SeededRandom(seed)
    return [drawn(random.branch(1)), drawn(random.branch(2))]
  }
  const [first, second] = branches(7)
  expect(first).not.toEqual(second)
  expect(branches(7)).toEqual([first, second])
})

it('an integer lies within its inclusive bounds, and a shuffle keeps all items', () => {
  const random = new SeededRandom(1)
  const seen = new Set(Array.from({ length: 200 }, () => random.between(3, 5)))
  expect([...seen].sort()).toEqual([3, 4, 5])
  expect(random.shuffled([1, 2, 3, 4]).sort()).toEqual([1, 2, 3, 4])
})
