/** Runs that await their targets survive the end of every process. */
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { Punctual } from 'punctual'
import { afterAll, beforeAll, expect, it } from 'vitest'

const RUNS = 1_000

let database: TestDatabase
beforeAll(async () => {
  database = await migratedDatabase()
})
afterAll(() => database.drop())

it('a thousand runs whose workers are gone end by their reports, and none is sent again', async () => {
  const options = { databaseUrl: database.url, callbackUrl: 'http://127.0.0.1:1' }
  const sent = new Map<string, string>()
  let requests = 0
  const start = async () => {
    const punctual = await Punctual.start(options)
    punctual.handler('send', async (_payload, ctx) => {
      requests++
      sent.set(ctx.runId, (await ctx.callback()).token)
      return ctx.awaitCallback({ timeoutMs: 600_000 })
    })
    return punctual
  }
  const first = await start()
  await first.submitMany('send', Array.from({ length: RUNS }))
  await eventually('all await their targets', async () => {
    const counted = await first.runs.count({ states: ['awaiting'] })
    return counted.count === RUNS
  })
  // As after a kill: the sessions are gone, and the reaper finds nothing to take back.
  await first.stop()
  const second = await start()
  const reports = [...sent].map(async ([runId, token]) => {
    const attempt = await second.store.callbackTokens.read(token)
    expect(attempt).toMatchObject({ runId, attempt: 1 })
    const report = { outcome: 'succeeded' } as const
    const answers = await Promise.all(
      // Every target reports twice.
      [1, 2].map(() => second.awaiting.report(runId, attempt?.attempt ?? 0, report)),
    )
    expect(answers).toEqual(['succeeded', 'succeeded'])
  })
  await Promise.all(reports)
  expect(await second.runs.count({ states: ['succeeded'] })).toMatchObject({ count: RUNS })
  expect(requests).toBe(RUNS)
  await second.stop()
})
