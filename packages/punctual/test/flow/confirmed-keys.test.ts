/** The answer that a run already exists is durable, even if the server dies directly afterwards. */
import { eventually } from '@punctual/testkit'
import { Punctual } from 'punctual'
import { expect, it, onTestFinished } from 'vitest'
import { query, StandbyPair } from '../kit/standby-pair.ts'

it('a submission that returns an existing run waits for the synchronous standby', async () => {
  const pair = await StandbyPair.start()
  onTestFinished(() => pair.stop())
  const databaseUrl = pair.primary.url
  const punctual = await Punctual.start({ databaseUrl, roles: [] })
  onTestFinished(() => punctual.stop())
  const submit = () => punctual.submit('mail', {}, { key: 'once' })
  const first = await submit()
  await pair.setSynchronous('second')
  const waiting = async () =>
    (await query(databaseUrl, `select 1 from pg_stat_activity where wait_event = 'SyncRep'`)).length
  // The server applies the setting after a short time.
  const commits: Promise<unknown>[] = []
  await eventually('commits wait for the standby', async () => {
    commits.push(query(databaseUrl, `select pg_logical_emit_message(true, 'test', '')`))
    return (await waiting()) > 0
  })
  const before = await waiting()
  let answered = false
  const second = submit().finally(() => {
    answered = true
  })
  await eventually('the submission waits as well', async () => (await waiting()) > before)
  expect(answered).toBe(false)
  await pair.standby()
  expect(await second).toMatchObject({ id: first.id, outcome: 'existing' })
  await Promise.all(commits)
})
