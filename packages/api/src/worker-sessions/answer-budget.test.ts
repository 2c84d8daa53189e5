import { expect, it } from 'vitest'
import { AnswerBudget, type Reserved } from './answer-budget.ts'

const never = new AbortController().signal
const held = (reserved: Reserved | null): Reserved => {
  if (reserved === null) throw new Error('The reservation was refused.')
  return reserved
}

/** The names of the reservations, in the order in which they were granted. */
function grants(budget: AnswerBudget) {
  const order: string[] = []
  const reserve = async (name: string, tenantId: number, bytes: number) => {
    const reserved = held(await budget.reserve(tenantId, bytes, never))
    order.push(name)
    return reserved
  }
  return { order, reserve }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

it('answers together never hold more than the budget', async () => {
  const { order, reserve } = grants(new AnswerBudget(100))
  const first = await reserve('a', 1, 50)
  await reserve('b', 2, 50)
  void reserve('c', 3, 50)
  await turn()
  expect(order).toEqual(['a', 'b'])
  first.release()
  await turn()
  expect(order).toEqual(['a', 'b', 'c'])
})

it('an answer that needs less than it reserved gives the rest to others at once', async () => {
  const { order, reserve } = grants(new AnswerBudget(100))
  const first = await reserve('a', 1, 100)
  void reserve('b', 2, 90)
  first.shrink(10)
  await turn()
  expect(order).toEqual(['a', 'b'])
})

it('one tenant holds at most half, so that slow readers leave room for the others', async () => {
  const { order, reserve } = grants(new AnswerBudget(100))
  for (const name of ['a', 'b', 'c', 'd']) void reserve(name, 1, 25)
  void reserve('other', 2, 25)
  await turn()
  expect(order).toEqual(['a', 'b', 'other'])
})

it('the tenant that holds the least is next, not the one that came first', async () => {
  const { order, reserve } = grants(new AnswerBudget(120))
  for (const name of ['a1', 'a2']) await reserve(name, 1, 20)
  const b1 = await reserve('b1', 2, 20)
  await reserve('b2', 2, 20)
  await reserve('c', 3, 40)
  // Each fits into its share, and the budget has capacity for one of them.
  void reserve('a3', 1, 20)
  void reserve('b3', 2, 20)
  b1.release()
  await turn()
  expect(order).toEqual(['a1', 'a2', 'b1', 'b2', 'c', 'b3'])
})

it('a reservation that is no longer wanted leaves the line', async () => {
  const budget = new AnswerBudget(100)
  const first = held(await budget.reserve(1, 100, never))
  const leaving = new AbortController()
  const waiting = budget.reserve(2, 100, leaving.signal)
  leaving.abort()
  expect(await waiting).toBeNull()
  const third = budget.reserve(3, 100, never)
  first.release()
  expect(await third).not.toBeNull()
})

it('releasing twice frees the bytes once', async () => {
  const budget = new AnswerBudget(100)
  const first = held(await budget.reserve(1, 100, never))
  first.release()
  first.release()
  held(await budget.reserve(1, 100, never))
  const second = new AbortController()
  const waiting = budget.reserve(2, 1, second.signal)
  second.abort()
  expect(await waiting).toBeNull()
})
