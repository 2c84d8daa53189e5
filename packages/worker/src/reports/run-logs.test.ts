import { limits } from '@punctual/core/errors'
import type { LogEntry } from '@punctual/core/ports'
import { gate, ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { RunLogs } from './run-logs.ts'

const LIMIT = limits.logBytesPerRun
const MARK = /^The log of this run has reached 10485760 bytes/
/** With the fifty bytes that each line costs besides its text, 320 of these fill a log. */
const LARGE = 'x'.repeat(32_768 - 50)

const run = (id: string) => ({ id, tenantId: 1 })

function fixture() {
  const stored: LogEntry[] = []
  const queried: string[][] = []
  const errors: unknown[] = []
  const store = {
    appendLogs: async (entries: readonly LogEntry[]) => void stored.push(...entries),
    logBytes: async (ids: readonly string[]) => {
      queried.push([...ids])
      const sums = new Map<string, number>()
      for (const line of stored.filter(({ runId }) => ids.includes(runId)))
        sums.set(line.runId, (sums.get(line.runId) ?? 0) + bytesOf(line))
      return sums
    },
  }
  const clock = new ManualClock()
  const logs = new RunLogs(store, clock, (error) => errors.push(error))
  const linesOf = (runId: string, attempt?: number) =>
    stored.filter((line) => line.runId === runId && (attempt ?? line.attempt) === line.attempt)
  return { logs, store, clock, stored, queried, errors, linesOf }
}

function bytesOf({ message, data }: LogEntry): number {
  return Buffer.byteLength(message) + Buffer.byteLength(data ?? '') + 50
}

it('stores a log of exactly the limit, and beyond it only the mark', async () => {
  const { logs, linesOf } = fixture()
  const log = logs.open(run('a'), 1)
  for (let i = 0; i < LIMIT / 32_768; i++) log.info(LARGE)
  await logs.flush()
  expect(linesOf('a').reduce((sum, line) => sum + bytesOf(line), 0)).toBe(LIMIT)
  for (let i = 0; i < 3; i++) log.info('more')
  await logs.flush()
  expect(linesOf('a').length).toBe(LIMIT / 32_768 + 1)
  expect(linesOf('a').at(-1)).toMatchObject({ level: 2, message: expect.stringMatching(MARK) })
})

it('applies the limit of the tenant to all attempts of a run together', async () => {
  const { store, clock, linesOf } = fixture()
  const most = async (tenantId: number) => (tenantId === 2 ? 1_000 : LIMIT)
  const logs = new RunLogs({ ...store, logBytesMax: most }, clock, () => undefined)
  for (const attempt of [1, 2]) {
    const log = logs.open({ id: 'narrow', tenantId: 2 }, attempt)
    for (let i = 0; i < 10; i++) log.info('x'.repeat(100))
    await logs.flush()
  }
  const mark =
    'The log of this run has reached 1000 bytes; further lines of this attempt are dropped.'
  expect(linesOf('narrow', 1).map(({ message }) => message.length)).toEqual([
    ...Array.from({ length: 6 }, () => 100),
    mark.length,
  ])
  expect(linesOf('narrow', 2).map(({ message }) => message)).toEqual([mark])
  const log = logs.open({ id: 'wide', tenantId: 1 }, 1)
  for (let i = 0; i < 10; i++) log.info('x'.repeat(100))
  await logs.flush()
  expect(linesOf('wide')).toHaveLength(10)
})

it('counts bytes, not characters', async () => {
  const { logs, linesOf } = fixture()
  const log = logs.open(run('a'), 1)
  const text = '€'.repeat(32_000)
  for (let i = 0; i < 200; i++) log.info(text)
  await logs.flush()
  expect(linesOf('a').length).toBe(Math.floor(LIMIT / (96_000 + 50)) + 1)
})

it('limits the run: a later attempt has what earlier attempts left', async () => {
  const { logs, linesOf, queried } = fixture()
  const first = logs.open(run('a'), 1)
  for (let i = 0; i < 300; i++) first.info(LARGE)
  await logs.flush()
  const second = logs.open(run('a'), 2)
  for (let i = 0; i < 300; i++) second.info(LARGE)
  await logs.flush()
  expect(linesOf('a', 1).length).toBe(300)
  expect(linesOf('a', 2).length).toBe(21)
  expect(linesOf('a', 2).at(-1)?.message).toMatch(MARK)
  const third = logs.open(run('a'), 3)
  third.info(LARGE)
  third.info(LARGE)
  await logs.flush()
  expect(linesOf('a', 3).map(({ message }) => message)).toEqual([expect.stringMatching(MARK)])
  expect(queried).toEqual([['a'], ['a']])
})

it('reads the used bytes once per later attempt, and for all runs of a batch together', async () => {
  const { logs, queried, stored } = fixture()
  const open = ['a', 'b'].map((id) => logs.open(run(id), 2))
  for (const log of [...open, ...open]) log.info('line')
  logs.open(run('c'), 1).info('line')
  await logs.flush()
  for (const log of open) log.info('line')
  await logs.flush()
  expect(queried).toEqual([['a', 'b']])
  expect(stored.length).toBe(7)
})

it('is pending until all written lines are stored', async () => {
  const { logs, store } = fixture()
  const [began, proceed] = [gate(), gate()]
  store.appendLogs = async () => {
    began.open()
    await proceed.opened
  }
  expect(logs.pending).toBe(false)
  logs.open(run('a'), 1).info('line')
  expect(logs.pending).toBe(true)
  const flushed = logs.flush()
  await began.opened
  expect(logs.pending).toBe(true)
  proceed.open()
  await flushed
  expect(logs.pending).toBe(false)
})

it('reports lines that could not be stored, and continues', async () => {
  const { logs, store, errors, linesOf } = fixture()
  const { logBytes } = store
  store.logBytes = () => Promise.reject(new Error('unreachable'))
  const log = logs.open(run('a'), 2)
  log.info('lost')
  await logs.flush()
  expect(errors).toEqual([new Error('unreachable')])
  store.logBytes = logBytes
  log.info('kept')
  await logs.flush()
  expect(linesOf('a')).toMatchObject([{ message: 'kept', seq: 1 }])
  expect(logs.pending).toBe(false)
})

it('buffers 50,000 lines while the store is unreachable, and marks where lines are missing', async () => {
  const { logs, store, linesOf } = fixture()
  const outage = gate()
  const append = store.appendLogs
  store.appendLogs = async (entries) => {
    await outage.opened
    return append(entries)
  }
  const log = logs.open(run('a'), 1)
  for (let i = 0; i < 60_000; i++) log.info('x')
  outage.open()
  await logs.flush()
  expect(linesOf('a').length).toBe(50_001)
  expect(linesOf('a').at(-1)).toMatchObject({
    level: 2,
    message: expect.stringMatching(/^Lines are missing from here/),
  })
  log.info('after the outage')
  await logs.flush()
  expect(linesOf('a').at(-1)).toMatchObject({ seq: 50_001, message: 'after the outage' })
})
