import { expect, test } from 'vitest'
import { PieceTurns } from './piece-turns.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Starts pieces that end when the test lets them, and records their beginnings. */
function piecesOf(turns: PieceTurns) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  return {
    begun,
    endOne: () => ends.shift()?.(),
    start: (tenantId: number, name: string) =>
      turns.perform(tenantId, () => {
        begun.push(name)
        return new Promise<void>((resolve) => ends.push(resolve))
      }),
  }
}

test('one tenant does two pieces at the same time, and those of another are not delayed', async () => {
  const { begun, start, endOne } = piecesOf(new PieceTurns())
  for (const name of ['a', 'b', 'c', 'd']) void start(1, name)
  void start(2, 'other')
  await settled()
  expect(begun).toEqual(['a', 'b', 'other'])
  endOne()
  await settled()
  expect(begun).toEqual(['a', 'b', 'other', 'c'])
})

test('a hundred pieces of a tenant wait, and further ones are refused with a time to retry', async () => {
  const { begun, start, endOne } = piecesOf(new PieceTurns())
  const waiting = Array.from({ length: 102 }, (_, n) => start(1, String(n)))
  await expect(start(1, 'one more')).rejects.toMatchObject({
    ...{ code: 'server_busy', retryAfterMs: 1_000 },
  })
  void start(2, 'other')
  await settled()
  expect(begun).toEqual(['0', '1', 'other'])
  for (let n = 0; n < 103; n++) {
    endOne()
    await settled()
  }
  await Promise.all(waiting)
  expect(begun).toEqual(['0', '1', 'other', ...Array.from({ length: 100 }, (_, n) => `${n + 2}`)])
})

test('a piece that fails passes its turn on', async () => {
  const turns = new PieceTurns()
  const failing = Array.from({ length: 5 }, () =>
    turns.perform(1, () => Promise.reject(new Error('refused'))),
  )
  const ends = await Promise.allSettled(failing)
  expect(ends.every(({ status }) => status === 'rejected')).toBe(true)
  expect(await turns.perform(1, async () => 'done')).toBe('done')
})
