import { expect, it } from 'vitest'
import { RateCounter } from './rate-counter.ts'

let nowMs = 0
const counter = (most: number, names = 100) => new RateCounter(most, names, () => nowMs)
const take = (rates: RateCounter, name: string, times: number) =>
  Array.from({ length: times }, () => rates.take(name))

it('accepts the limit of one second and returns how long to wait beyond it', () => {
  const rates = counter(3)
  nowMs = 100
  expect(take(rates, 'a', 3)).toEqual([null, null, null])
  nowMs = 850
  expect(take(rates, 'a', 2)).toEqual([250, 250])
  expect(rates.take('b')).toBeNull()
  nowMs = 1_100
  expect(take(rates, 'a', 4)).toEqual([null, null, null, 1_000])
})

it('does not refuse requests within the limit because of requests that arrive after them', async () => {
  const rates = counter(20)
  nowMs = 5_000
  const answers = await Promise.all(Array.from({ length: 120 }, async () => rates.take('a')))
  expect(answers.filter((wait) => wait === null)).toHaveLength(20)
})

it('counts all names beyond the bound as one', () => {
  const rates = counter(2, 3)
  nowMs = 9_000
  const names = Array.from({ length: 1_000 }, (_, i) => `name ${i}`)
  const first = names.map((name) => rates.take(name))
  expect(first.filter((wait) => wait === null)).toHaveLength(3 + 2)
  expect(rates.take('name 0')).toBeNull()
  nowMs = 10_000
  expect(rates.take('name 999')).toBeNull()
})
