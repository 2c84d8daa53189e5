/** The answer to a commit is lost: the caller still gets the result, and nothing is done twice. */
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { dead, TcpProxy, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

let t: TestStore
let proxy: TcpProxy
let store: PostgresStore
beforeAll(async () => {
  t = await TestStore.open()
  const url = new URL(t.url)
  const port = Number(url.port)
  proxy = await TcpProxy.start([() => port])
  url.port = String(proxy.ports[0])
  const ports = { clock: systemClock, random: systemRandom, node: systemRandom.token() }
  store = new PostgresStore({ url: url.href, ...ports })
})
afterAll(async () => {
  await store.close()
  await proxy.close()
  await t.close()
})

async function aDeadRun(key?: string): Promise<string> {
  const session = await t.session()
  const run = await t.running(session, key === undefined ? {} : { key })
  await t.store.work.settle(session, [dead(run)])
  return run.id
}

async function losingAnswer<T>(work: () => Promise<T>): Promise<T> {
  const never = new AbortController().signal
  const lost = proxy.loseCommitReply((writes) => writes.includes('commit'), never)
  const result = await work()
  expect(await lost).toContain('commit')
  return result
}

const replaysOf = async (id: string) => {
  const { rows } = await t.sql.query('select id from punctual.runs where replay_of = $1', [id])
  return rows.map((row) => row.id as string)
}

it('a replay whose answer is lost is created once, and the caller gets its id (case 11)', async () => {
  for (const key of [undefined, 'k']) {
    const id = await aDeadRun(key)
    const how = { note: null, by: null, fromCheckpoint: false }
    const requests = [{ id, payload: null }]
    const [answer] = await losingAnswer(() =>
      store.deadLetterSteering.replay(requests, how, 1, null),
    )
    expect(answer?.result).toBe('replayed')
    expect(await replaysOf(id)).toEqual([answer?.result === 'replayed' && answer.id])
  }
})

it('a discard whose answer is lost still reports the dead letters it discarded', async () => {
  const ids = [await aDeadRun(), await aDeadRun()]
  const other = await aDeadRun()
  await t.store.deadLetterSteering.discard([other], { note: 'before', by: null }, 1, null)
  const discarded = await losingAnswer(() =>
    store.deadLetterSteering.discard([...ids, other], { note: 'enough', by: 'ann' }, 1, null),
  )
  expect([...discarded].sort()).toEqual([...ids].sort())
})

it.each(['succeeded', 'failed', 'run-again'] as const)(
  'resolving as %s takes effect once when its answer is lost',
  async (as) => {
    const session = await t.session()
    const run = await t.running(session, { delivery: 'at-most-once' })
    await t.store.work.markStarted([run])
    await t.expire(session)
    await t.reap([session])
    const how = { note: 'looked', by: 'ann' }
    const answer = await losingAnswer(() => store.resolution.resolve(run.id, as, how, 1, null))
    expect(answer.result).toBe('resolved')
    const replays = await replaysOf(run.id)
    expect(replays).toEqual(as === 'run-again' ? [expect.any(String)] : [])
    expect(answer.result === 'resolved' && answer.replayedAs).toBe(replays[0] ?? null)
    expect((await t.store.deadLetters.find([run.id], 1)).length).toBe(as === 'failed' ? 1 : 0)
  },
)
