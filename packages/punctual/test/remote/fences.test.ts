/** Every route refuses runs and sessions of others; lost answers lose no run. */
import { compileOptions } from '@punctual/core/submit'
import { eventually, TcpProxy, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { RemoteWorker } from '../../src/index.ts'
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

/** Every route of a session, with a valid body for a run. */
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

  it('answers unknown sessions and those of other tenants with 404', async () => {
    const run = await claimed()
    const foreign = await node.session({}, 2)
    const wrong = [foreign, '1', '9223372036854775807', '9999999999999999999', '-1', "1'", 'x%00']
    for (const id of wrong)
      expect(await ask(id, run), id).toMatchObject({
        ...{ status: 404, body: { code: 'session_not_found' } },
      })
    expect(await ask(session, run, 'tenant-2')).toMatchObject({ status: 404 })
    expect(await t.places(run.run_id)).toEqual(['leases'])
  })

  it('answers a fenced session with 404', async () => {
    const run = await claimed()
    await t.expire(session)
    await t.reap([session])
    expect(await ask(session, run)).toMatchObject({ status: 404 })
  })

  it('requires a key with the scope worker', async () => {
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
  it('changes no run that the session does not hold (case 159)', async () => {
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
  it('a key claims nothing of another tenant, regardless of the lanes it names', async () => {
    await t.submit()
    const others = await node.session({}, 2)
    const { rows } = await t.sql.query('select id from punctual.lanes')
    const lanes = rows.map(({ id }) => id as number)
    const options = { tenant: 2 }
    for (const body of [{ limit: 10 }, { limit: 10, lanes }, { limit: 10, lanes, held: [] }])
      expect((await node.ask('POST', `/${others}/claim`, body, options)).body.runs).toEqual([])
    const announced = { handlers: ['test'], queues: [] }
    expect((await node.ask('POST', `/${others}/lanes`, announced, options)).body.lanes).toEqual([])
  })

  it('an id in use by another tenant is not opened again', async () => {
    const worker = { host: 'h', handlers: ['test'], capacity: 1, lease_ms: 5_000, id: session }
    expect(await node.ask('POST', '', worker, { tenant: 2 })).toMatchObject({
      ...{ status: 404, body: { code: 'session_not_found' } },
    })
  })
})

describe('unusual requests', () => {
  it('a run that is named twice gets a result for each fence', async () => {
    const run = await claimed()
    const forged = { ...run, fence: '1' }
    for (const verb of ['start', 'give-back']) {
      const { body } = await post(verb, { runs: [forged, run, forged] })
      const accepted = body.results.map((result: { accepted: boolean }) => result.accepted)
      expect(accepted).toEqual([false, true, false])
    }
  })

  it('a lane that is named twice counts once', async () => {
    const id = await t.submit()
    const [lane] = await t.lanes()
    const lanes = [lane?.id, lane?.id]
    const { status, body } = await post('claim', { limit: 10, lanes })
    expect([status, body.runs]).toMatchObject([200, [{ run_id: id }]])
  })

  it('a worker cannot choose the fence', async () => {
    const { status, body } = await post('claim', { limit: 1, token: '9223372036854775800' })
    expect([status, body.code]).toEqual([400, 'invalid_request'])
  })

  it('a closed session is not opened again', async () => {
    await node.ask('DELETE', `/${session}`)
    const worker = { host: 'h', handlers: ['test'], capacity: 1, lease_ms: 5_000, id: session }
    expect(await node.ask('POST', '', worker)).toMatchObject({
      ...{ status: 404, body: { code: 'session_not_found' } },
    })
  })

  it("a log is limited to the tenant's quota, and says that lines are missing", async () => {
    const tenant = 2
    await t.store.tenants.update('other', { quotas: { logBytesPerRun: 1_000 } })
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
      expect.stringMatching('limited to 1000 bytes'),
      'y',
    ])
  })

  it('reported times are never before the start of the session', async () => {
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

  it('a key revoked while its claim waits gets no runs', async () => {
    const key = 'tenant-1-worker'
    onTestFinished(() => void revoked.delete(key))
    const body = { limit: 1, wait_ms: 20_000 }
    node.claims = 0
    const waiting = node.ask('POST', `/${session}/claim`, body, { key })
    await eventually('the claim arrives', () => node.claims > 0)
    // waits: longer than the wait after which a claim checks its key again
    await new Promise((resolve) => setTimeout(resolve, 600))
    revoked.add(key)
    const id = await t.submit()
    expect(await waiting).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    expect(await t.places(id)).toEqual(['queue'])
  })
})

describe('a lost answer', () => {
  /** A proxy that loses the first two answers of a route. */
  async function losing(verb: string) {
    const proxy = await TcpProxy.to(node.url)
    onTestFinished(() => proxy.close())
    const lost: string[] = []
    proxy.setFates(({ path }) => {
      if (!path.endsWith(verb) || lost.length === 2) return 'pass'
      lost.push(path)
      return 'lose'
    })
    return { url: proxy.through(node.url), lost }
  }

  it('of a claim: the next claim names the known fences and gets the other leases', async () => {
    const known = await claimed()
    const lost = await claimed()
    const { body } = await post('claim', { limit: 5, held: [known.fence] })
    expect(body.runs).toMatchObject([{ run_id: lost.run_id, attempt: 1, payload: { n: 1 } }])
    const again = await post('claim', { limit: 5, held: [known.fence, body.runs[0].fence] })
    expect(again.body.runs).toEqual([])
  })

  it('of a claim: a run handed out again is not given back under its lost fence', async () => {
    const lost = await claimed()
    const { body } = await post('claim', { limit: 5, held: [] })
    // A node does this when it notices late that the client disconnected.
    await t.store.work.giveBack([{ id: lost.run_id, fence: BigInt(lost.fence) }])
    expect(await t.places(lost.run_id)).toEqual(['leases'])
    const [{ run_id, fence }] = body.runs
    const outcomes = [{ run_id, fence, outcome: 'succeeded' }]
    expect((await post('settle', { outcomes })).body.results).toMatchObject([{ accepted: true }])
  })

  it.each(['/claim', '/settle', '/worker-sessions', '/lanes'])(
    'of %s: every run is executed once',
    async (verb) => {
      const proxy = await losing(verb)
      const calls: string[] = []
      const worker = RemoteWorker.start({ server: proxy.url, apiKey: 'tenant-1' })
      onTestFinished(() => worker.stop())
      worker.handler('test', (_, { runId }) => void calls.push(runId))
      const ids = await Promise.all(Array.from({ length: 5 }, () => t.submit()))
      await eventually('all runs have ended', async () => {
        const states = await Promise.all(ids.map((id) => t.places(id)))
        return states.flat().every((place) => place === 'outcomes')
      })
      expect(proxy.lost.length).toBeGreaterThan(0)
      expect(calls.sort()).toEqual(ids.sort())
    },
  )
})
