/** Reading a run's log in pages and from its end, and measuring its size. */
import type { ClaimedRun } from '@punctual/core/ports'
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

let t: TestStore
let run: ClaimedRun
beforeAll(async () => {
  t = await TestStore.open()
  run = await t.running(await t.session())
  await t.store.work.appendLogs(
    [1, 2, 3].flatMap((attempt) => Array.from({ length: 4 }, (_, seq) => line(attempt, seq))),
  )
})
afterAll(() => t.close())

function line(attempt: number, seq: number) {
  const message = `${attempt}.${seq}`
  return { runId: run.id, attempt, seq, agoMs: 0, level: 1, message, data: null }
}
const messages = (lines: readonly { message: string }[]) => lines.map(({ message }) => message)

it('pages of a run log continue after the last line, across attempts, and end with a short page', async () => {
  const pages: string[][] = []
  let after: { attempt: number; seq: number } | undefined
  do {
    const page = await t.store.runs.logs(run.id, after, 5)
    pages.push(messages(page))
    after = page.length === 5 ? page.at(-1) : undefined
  } while (after)
  expect(pages).toEqual([
    ['1.0', '1.1', '1.2', '1.3', '2.0'],
    ['2.1', '2.2', '2.3', '3.0', '3.1'],
    ['3.2', '3.3'],
  ])
})

it('the last lines of a run log are returned oldest first, or all if there are fewer', async () => {
  expect(messages(await t.store.runs.lastLogs(run.id, 3))).toEqual(['3.1', '3.2', '3.3'])
  expect(await t.store.runs.lastLogs(run.id, 100)).toHaveLength(12)
})

it('the size of a run log is the bytes of its text plus fifty for each line', async () => {
  const other = await t.running(await t.session())
  const silent = await t.running(await t.session())
  await t.store.work.appendLogs([
    { ...line(1, 0), runId: other.id, message: '€', data: '"é"' },
    { ...line(1, 1), runId: other.id, message: 'x', data: null },
  ])
  expect(await t.store.work.logBytes([run.id, other.id, silent.id])).toEqual(
    new Map([
      [run.id, 12 * 53],
      [other.id, 3 + 4 + 50 + 1 + 50],
    ]),
  )
})
