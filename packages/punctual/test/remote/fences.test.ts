/** Whatever a remote worker names that is not its own is refused, by every route; and lost answers lose no run. */
import { compileOptions } from '@punctual/core/submit'
import { eventually, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { RemoteWorker } from '../../src/index.ts'
import { DroppingProxy } from '../kit/dropping-proxy.ts'
import { RemoteNode, revoked } from '../kit/remote-kit.ts'

let t: TestStore
let node: RemoteNode
let session: string

beforeAll(async () => {
  t = await TestStore.open()
  await t.sql.query(`insert into punctual.tenants (id, name) values (2, 'other')`)
  node = await RemoteNode.open(t.store)
})
afterAll(async () => {
  await node.close()
  await t.close()
})
beforeEach(async () => {
  await t.sql.query('truncate punctual.queue, punctual.leases, punctual.sessions')
  session = await node.session()
})

const post = (verb: string, body: object, id = session) => node.ask('POST', `/${id}/${verb}`, body)

async function claimed(id = session) {
  await t.submit()
  const { body } = await post('claim', { limit: 1 }, id)
  const [{ run_id, fence }] = body.runs
  return { run_id, fence } as { run_id: string; fence: string }
}

type Fence = Awaited<ReturnType<typeof claimed>>

/** Every route that a session has, with a body that is right for this run. */
const routes: [method: string, verb: string, body: (run: Fence) => object | undefined][] = [
  ['POST', '/renew', (run) => ({ runs: [run] })],
  ['POST', '/claim', () => ({ limit: 1 })],
  ['POST', '/wait', () => ({})],
  ['POST', '/lanes', () => ({ handlers: ['test'], queues: [] })],
  ['POST', '/start', (run) => ({ runs: [run] })],
  ['POST', '/give-back', (run) => ({ runs: [run] })],
  ['POST', '/settle', (run) => ({ outcomes: [{ ...run, outcome: 'succeeded' }] })],
  ['POST', '/progress', (run) => ({ runs: [{ ...run, value: 1 }] })],
  ['POST', '/checkpoint', (run) => ({ ...run, state: 1 })],
  ['POST', '/secret', (run) => ({ ...run, name: 'token' })],
  [
    ...(['POST', '/logs'] as const),
    ({ run_id }) => ({ lines: [{ run_id, attempt: 1, seq: 0, message: 'm' }] }),
  ],
  ['PATCH', '', () => ({ state: 'active', handlers: ['test'] })],
  ['DELETE', '', () => undefined],
]

describe.each(routes)('%s /worker-sessions/:id%s', (method, verb, bodyOf) => {
  const ask = (id: string, run: Fence, key?: string) =>
    node.ask(method, `/${id}${verb}`, bodyOf(run), key === undefined ? {} : { key })

  it('does not know sessions of others, nor such that were never there', async () => {
    const run = await claimed()
    const others = await node.session({}, 2)
    const wrong = [others, '1', '9223372036854775807', '9999999999999999999', '-1', "1'", 'x%00']
    for (const id of wrong)
      expect(await ask(id, run), id).toMatchObject({
        ...{ status: 404, body: { code: 'session_not_found' } },
      })
    expect(await ask(session, run, 'tenant-2')).toMatchObject({ status: 404 })
    expect(await t.places(run.run_id)).toEqual(['leases'])
  })

  it('does not know a session that was fenced', async () => {
    const run = await claimed()
    await t.expire(session)
    await t.reap([session])
    expect(await ask(session, run)).toMatchObject({ status: 404 })
  })

  it('wants a key, and one of a worker', async () => {
    const run = await claimed()
    expect((await ask(session, run, 'nonsense')).status).toBe(401)
    const inAddress = await node.ask(method, `/${session}${verb}?api_key=tenant-1`, bodyOf(run))
    expect(inAddress.status).toBe(401)
    expect((await ask(session, run, 'tenant-1-read')).status).toBe(403)
  })
})

const fenced = routes.filter(([, , bodyOf]) => {
  const text = JSON.stringify(bodyOf({ run_id: 'r', fence: 'f' })) ?? ''
  return text.includes('run_id')
})

describe.each(fenced)('%s /worker-sessions/:id%s', (method, verb, bodyOf) => {
  it('changes nothing of runs that the session does not hold (case 159)', async () => {
    const mine = await claimed()
    const theirs = await claimed(await node.session())
    const forged = { ...mine, fence: String(BigInt(mine.fence) + 1n) }
    const unknown = { ...mine, run_id: '019a0000-0000-7000-8000-000000000000' }
    const wrong = verb === '/logs' ? [theirs, unknown] : [theirs, forged, unknown]
    const before = await t.sql.query('select * from punctual.leases order by run_id')
    for (const run of wrong) {
      const { body } = await node.ask(method, `/${session}${verb}`, bodyOf(run))
      expect(JSON.stringify(body)).toMatch(/lease_lost|"lost":\[\{|"kept":0/)
    }
    const after = await t.sql.query('select * from punctual.leases order by run_id')
    expect(after.rows).toEqual(before.rows)
    for (const table of ['outcomes', 'checkpoints', 'run_logs'])
      expect(await t.count(table), table).toBe(0)
  })
})

describe('tenants', () => {
  it('a key of one claims nothing of another, whatever lanes it names', async () => {
    await t.submit()
    const others = await node.session({}, 2)
    const { rows } = await t.sql.query('select id from punctual.lanes')
    const lanes = rows.map(({ id }) => id as number)
    const options = { tenant: 2 }
    for (const body of [{ limit: 10 }, { limit: 10, lanes }, { limit: 10, lanes, held: [] }])
      expect((await node.ask('POST', `/${others}/claim`, body, options)).body.runs).toEqual([])
    const asked = { handlers: ['test'], queues: [] }
    expect((await node.ask('POST', `/${others}/lanes`, asked, options)).body.lanes).toEqual([])
  })

  it('an id of a session that somebody else has is not opened again', async () => {
    const worker = { host: 'h', handlers: ['test'], capacity: 1, lease_ms: 5_000, id: session }
    expect(await node.ask('POST', '', worker, { tenant: 2 })).toMatchObject({
      ...{ status: 404, body: { code: 'session_not_found' } },
    })
  })
})

describe('whatever a worker says', () => {
  it('a run that is named twice is answered for each fence', async () => {
    const run = await claimed()
    const forged = { ...run, fence: '1' }
    for (const verb of ['start', 'give-back']) {
      const { body } = await post(verb, { runs: [forged, run, forged] })
      const accepted = body.results.map((it: { accepted: boolean }) => it.accepted)
      expect(accepted).toEqual([false, true, false])
    }
  })

  it('lanes that are named twice are one', async () => {
    const id = await t.submit()
    const [lane] = await t.lanes()
    const lanes = [lane?.id, lane?.id]
    const { status, body } = await post('claim', { limit: 10, lanes })
    expect([status, body.runs]).toMatchObject([200, [{ run_id: id }]])
  })

  it('fences are made by the server', async () => {
    const { status, body } = await post('claim', { limit: 1, token: '9223372036854775800' })
    expect([status, body.code]).toEqual([400, 'invalid_request'])
  })

  it('a session that was closed is not opened again', async () => {
    await node.ask('DELETE', `/${session}`)
    const worker = { host: 'h', handlers: ['test'], capacity: 1, lease_ms: 5_000, id: session }
    expect(await node.ask('POST', '', worker)).toMatchObject({
      ...{ status: 404, body: { code: 'session_not_found' } },
    })
  })

  it('a log is as long as the tenant may have it, and says that something is missing', async () => {
    const tenant = 2
    const quotas = { logBytesPerRun: 1_000 }
    await t.sql.query(`update punctual.tenants set quotas = $1 where id = $2`, [quotas, tenant])
    const mine = await node.session({}, tenant)
    const [{ id } = { id: '' }] = await t.store.submit(
      [{ options: compileOptions('test', {}), payload: '{}' }],
      { tenantId: tenant },
    )
    await node.ask('POST', `/${mine}/claim`, { limit: 1 }, { tenant })
    const line = (seq: number, message: string) => ({ run_id: id, attempt: 1, seq, message })
    const lines = [
      line(0, 'begins'),
      line(1, 'é'.repeat(450)),
      line(2, 'x'.repeat(900)),
      line(3, 'y'),
    ]
    const { body } = await node.ask('POST', `/${mine}/logs`, { lines }, { tenant })
    expect(body).toEqual({ kept: 2, refused: 2 })
    const { rows } = await t.sql.query(
      'select message from punctual.run_logs where run_id = $1 order by seq',
      [id],
    )
    expect(rows.map(({ message }) => message)).toEqual([
      'begins',
      expect.stringMatching('may have 1000 bytes'),
      'y',
    ])
  })

  it('nothing that it tells of is older than its session', async () => {
    const run = await claimed()
    const lines = [{ run_id: run.run_id, attempt: 1, seq: 0, message: 'm', ago_ms: 1e12 }]
    expect((await post('logs', { lines })).body).toEqual({ kept: 1, refused: 0 })
    const outcomes = [{ ...run, outcome: 'succeeded', started_ms_ago: 1e9 }]
    expect((await post('settle', { outcomes })).body.results).toMatchObject([{ accepted: true }])
    const { rows } = await t.sql.query(
      `select clock_timestamp() - o.started_at < interval '1 hour' as started,
         clock_timestamp() - l.at < interval '1 hour' as logged
       from punctual.outcomes o join punctual.run_logs l using (run_id) where run_id = $1`,
      [run.run_id],
    )
    expect(rows).toEqual([{ started: true, logged: true }])
  })

  it('a key that was revoked while its claim waited is given nothing', async () => {
    const key = 'tenant-1-worker'
    onTestFinished(() => void revoked.delete(key))
    const body = { limit: 1, wait_ms: 20_000 }
    node.claims = 0
    const waiting = node.ask('POST', `/${session}/claim`, body, { key })
    await eventually('the claim is there', () => node.claims > 0)
    // waits: for as long as a claim is taken for one that has not waited
    await new Promise((resolve) => setTimeout(resolve, 600))
    revoked.add(key)
    const id = await t.submit()
    expect(await waiting).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    expect(await t.places(id)).toEqual(['queue'])
  })
})

describe('an answer that is lost', () => {
  async function proxied(): Promise<DroppingProxy> {
    const proxy = await DroppingProxy.before(() => node.url)
    onTestFinished(() => proxy.close())
    return proxy
  }

  it('of a claim: the next one names what is known, and is given the rest', async () => {
    const known = await claimed()
    const lost = await claimed()
    const { body } = await post('claim', { limit: 5, held: [known.fence] })
    expect(body.runs).toMatchObject([{ run_id: lost.run_id, attempt: 1, payload: { n: 1 } }])
    const again = await post('claim', { limit: 5, held: [known.fence, body.runs[0].fence] })
    expect(again.body.runs).toEqual([])
  })

  it('of a claim: what is handed out again does not go back under the fence that was lost', async () => {
    const lost = await claimed()
    const { body } = await post('claim', { limit: 5, held: [] })
    // As a node does that noticed late that nobody had its answer.
    await t.store.work.giveBack([{ id: lost.run_id, fence: BigInt(lost.fence) }])
    expect(await t.places(lost.run_id)).toEqual(['leases'])
    const [{ run_id, fence }] = body.runs
    const outcomes = [{ run_id, fence, outcome: 'succeeded' }]
    expect((await post('settle', { outcomes })).body.results).toMatchObject([{ accepted: true }])
  })

  it.each(['/claim', '/settle', '/worker-sessions', '/lanes'])(
    'of %s: every run is done, once',
    async (verb) => {
      const proxy = await proxied()
      proxy.drops.push(verb, verb)
      const calls: string[] = []
      const worker = RemoteWorker.start({ server: proxy.url, apiKey: 'tenant-1' })
      onTestFinished(() => worker.stop())
      worker.handler('test', (_, { runId }) => void calls.push(runId))
      const ids = await Promise.all(Array.from({ length: 5 }, () => t.submit()))
      await eventually('all are done', async () => {
        const states = await Promise.all(ids.map((id) => t.places(id)))
        return states.flat().every((place) => place === 'outcomes')
      })
      expect(proxy.dropped).toBeGreaterThan(0)
      expect(calls.sort()).toEqual(ids.sort())
    },
  )
})
