/**
 * Effects of `onConflict` and `window`, by the state of the key's holder. Concurrency:
 * key-races.test.ts.
 */
import { compileOptions, makeSubmission, type SubmitOptions } from '@punctual/core/submit'
import { eventually, succeeded, TestStore } from '@punctual/testkit'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { FAR, KeyKit } from '../kit/key-kit.ts'

let t: TestStore
let kit: KeyKit
beforeAll(async () => {
  t = await TestStore.open()
  kit = new KeyKit(t)
})
afterAll(() => t.close())
afterEach(async () => {
  expect(await kit.broken()).toEqual([])
})

const waiting = ['in queue', 'in later', 'in parked'] as const
const started = ['running', 'waiting for its next attempt'] as const
const changing = {
  replace: { onConflict: 'replace' },
  debounce: { onConflict: 'debounce', window: '10m' },
} as const
const keeping = {
  return: {},
  'return with a window': { window: '1h' },
  throttle: { onConflict: 'throttle', window: '1h' },
} as const
const namesOf = <T extends object>(modes: T) => Object.keys(modes) as (keyof T)[]
const product = <A, B>(as: readonly A[], bs: readonly B[]) =>
  as.flatMap((a) => bs.map((b) => [a, b] as const))

async function inTransaction(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: t.url })
  onTestFinished(() => client.end())
  await client.connect()
  await client.query('begin')
  return client
}

describe('replace and debounce', () => {
  it.each(product(namesOf(changing), waiting))(
    '%s changes a waiting run %s',
    async (mode, where) => {
      const how = changing[mode]
      const key = kit.key()
      const id = await kit.holders[where](key)
      const answer = await kit.submit({ key, ...how, priority: 9, labels: { by: 'me' } }, 'new')
      expect(answer).toEqual({ id, created: false, outcome: 'replaced' })
      expect(await kit.run(id)).toMatchObject({ payload: 'new', priority: 9, labels: { by: 'me' } })
      expect(await t.places(id)).toEqual([how.onConflict === 'replace' ? 'queue' : 'later'])
      expect(await kit.holder(key)).toBe(id)
    },
  )

  it.each(product(namesOf(changing), started))(
    '%s creates a new run, which takes the key from a run that is %s',
    async (mode, where) => {
      const how = changing[mode]
      const key = kit.key()
      const id = await kit.holders[where](key)
      const before = await t.places(id)
      const answer = await kit.submit({ key, ...how }, 'new')
      expect(answer).toMatchObject({ created: true, outcome: 'created' })
      expect(await kit.holder(key)).toBe(answer.id)
      expect(await kit.run(id)).toMatchObject({ payload: 'old', key: null })
      expect(await t.places(id), 'the old run continues').toEqual(before)
      expect(await kit.submit({ key, ...how }, 'newer')).toMatchObject({ id: answer.id })
    },
  )

  it('the end of a run that lost its key does not free the key of the new holder', async () => {
    const key = kit.key()
    const { run, session } = await kit.running({ key })
    const { id } = await kit.submit({ key, onConflict: 'replace' })
    await t.store.work.settle(session, [succeeded(run)])
    expect(await kit.submit({ key })).toEqual({ id, created: false, outcome: 'existing' })
  })

  it.each(namesOf(changing))('%s creates a run when the last one has ended', async (mode) => {
    const how = changing[mode]
    const key = kit.key()
    const { run, session } = await kit.running({ key })
    await t.store.work.settle(session, [succeeded(run)])
    const next = await kit.submit({ key, ...how })
    expect(next).toMatchObject({ created: true })
    await t.store.steering.cancelWaiting([next.id], 'test')
    expect(await kit.submit({ key, ...how })).toMatchObject({ outcome: 'created' })
  })

  it('replacing a run can move its due time later or earlier', async () => {
    const key = kit.key()
    const { id } = await kit.submit({ key })
    await kit.submit({ key, onConflict: 'replace', delayMs: FAR })
    expect(await t.places(id)).toEqual(['later'])
    expect(await kit.dueInMs(id)).toBeGreaterThan(FAR / 2)
    await kit.submit({ key, onConflict: 'replace' })
    expect(await t.places(id)).toEqual(['queue'])
    expect(await kit.dueInMs(id)).toBeLessThan(1_000)
  })

  it('replacing a run can add, change and remove its concurrency key', async () => {
    const key = kit.key()
    const gated = async (id: string) =>
      (await t.sql.query('select gate_limit from punctual.gated where run_id = $1', [id])).rows
    const { id } = await kit.submit({ key })
    const replace = { key, onConflict: 'replace' } as const
    await kit.submit({ ...replace, concurrency: { key: 'flow', limit: 3 } })
    expect(await gated(id)).toEqual([{ gate_limit: 3 }])
    await kit.submit({ ...replace, concurrency: { key: 'flow', limit: 4 } })
    expect(await gated(id)).toEqual([{ gate_limit: 4 }])
    await kit.submit(replace)
    expect(await gated(id)).toEqual([])
    expect((await kit.run(id)).concurrency).toBeNull()
  })

  it.each([
    'a submission',
    'a submission in a caller transaction',
    'a group',
    'an addition to a group',
    'a group in a caller transaction',
  ])('replacing a run by %s releases the run that waited for its concurrency key', async (by) => {
    // As a worker does: receives the hints of commits on other connections.
    const listening = t.another()
    listening.signals.listen()
    await listening.work.lanes([], [])
    await eventually('the store listens', () => listening.signals.connected)
    const [key, concurrency] = [kit.key(), { key: kit.key() }]
    const first = await kit.submit({ key, concurrency })
    const second = await kit.submit({ concurrency })
    expect(await t.places(second.id)).toEqual(['parked'])
    const item = [{ key, onConflict: 'replace', delayMs: FAR }, 1] as const
    const submissions = [makeSubmission(compileOptions('test', item[0]), '1')]
    const group = { name: null, callback: null, open: true }
    const { groups } = t.store
    const tx = by.endsWith('caller transaction') ? await inTransaction() : undefined
    if (by.startsWith('a submission')) await kit.submitMany([item], tx)
    else if (by === 'an addition to a group')
      await groups.add(
        (await groups.make({ ...group, submissions: [] }, 1, {})).id,
        submissions,
        1,
        {},
      )
    else await groups.make({ ...group, submissions }, 1, { tx })
    if (tx) expect(await t.places(second.id)).toEqual(['parked'])
    await tx?.query('commit')
    await expect.poll(() => t.places(second.id)).toEqual(['queue'])
    expect(await t.places(first.id)).toEqual(['later'])
  })

  it('each debounced submission moves the due time, up to maxWait', async () => {
    const how = { key: kit.key(), onConflict: 'debounce', window: '10m', maxWait: '15m' } as const
    const { id } = await kit.submit(how, 1)
    expect(await kit.dueInMs(id)).toBeGreaterThan(590_000)
    const back = (ms: number) =>
      t.sql.query(
        `update punctual.runs set created_at = created_at - $2::bigint * interval '1 ms',
         due_at = due_at - $2::bigint * interval '1 ms' where id = $1`,
        [id, ms],
      )
    await back(240_000)
    await kit.submit(how, 2)
    expect(await kit.dueInMs(id), 'ten minutes from now').toBeGreaterThan(590_000)
    await back(240_000)
    await kit.submit(how, 3)
    expect(await kit.dueInMs(id), 'seven minutes are left').toBeLessThan(430_000)
    expect(await kit.dueInMs(id)).toBeGreaterThan(400_000)
    expect(await kit.payload(id)).toBe(3)
    await back(900_000)
    await kit.submit(how, 4)
    expect(await t.places(id), 'maxWait is over').toEqual(['queue'])
  })
})

describe('return, throttle and error', () => {
  it.each(product(namesOf(keeping), [...waiting, ...started]))(
    '%s returns the existing run that is %s',
    async (mode, where) => {
      const how = keeping[mode]
      const key = kit.key()
      const id = await kit.holders[where](key)
      expect(await kit.submit({ key, ...how }, 'new')).toEqual({
        ...{ id, created: false, outcome: 'existing' },
      })
      expect(await kit.payload(id)).toBe('old')
    },
  )

  it.each(namesOf(keeping))(
    '%s after the run has ended returns it only within a window',
    async (mode) => {
      const how = keeping[mode]
      const key = kit.key()
      const { run, session } = await kit.running({ key, ...how })
      await t.store.work.settle(session, [succeeded(run)])
      const after = await kit.submit({ key, ...how })
      if (!('window' in how)) expect(after.created).toBe(true)
      else expect(after).toEqual({ id: run.id, created: false, outcome: 'existing' })
      const plain = await kit.submit({ key })
      expect(plain.created, 'a submission without a window ignores it').toBe('window' in how)
    },
  )

  it('a window also covers cancelled runs, and ends by the database clock', async () => {
    const how = { key: kit.key(), onConflict: 'throttle', window: '1h' } as const
    const { id } = await kit.submit(how)
    await t.store.steering.cancelWaiting([id], 'test')
    expect(await kit.submit(how)).toMatchObject({ id })
    await pass(how.key, '59 minutes')
    expect(await kit.submit(how)).toMatchObject({ id })
    await pass(how.key, '2 minutes')
    expect(await kit.submit(how)).toMatchObject({ outcome: 'created' })
  })

  it('throttling never creates a second live run, also after the window', async () => {
    const how = { key: kit.key(), onConflict: 'throttle', window: '1h' } as const
    const { id } = await kit.submit(how)
    await pass(how.key, '2 hours')
    expect(await kit.submit(how)).toEqual({ id, created: false, outcome: 'existing' })
  })

  it.each([...waiting, ...started])(
    'onConflict error refuses the submission while a run is %s',
    async (where) => {
      const key = kit.key()
      const id = await kit.holders[where](key)
      await expect(kit.submit({ key, onConflict: 'error' })).rejects.toMatchObject({
        ...{ code: 'key_conflict', field: 'key', id, message: expect.stringContaining(`"${key}"`) },
      })
    },
  )

  it('onConflict error creates a run when the key is free', async () => {
    const key = kit.key()
    const { id } = await kit.submit({ key, onConflict: 'error' })
    await t.store.steering.cancelWaiting([id], 'test')
    expect(await kit.submit({ key, onConflict: 'error' })).toMatchObject({ created: true })
  })

  it('a sweep deletes a key window that is over and was not used for an hour', async () => {
    const key = kit.key()
    await kit.submit({ key, onConflict: 'throttle', window: '2h' })
    const windows = async () =>
      (await t.sql.query('select from punctual.key_windows where key = $1', [key])).rowCount
    for (const [passed, left] of [
      ['90 minutes', 1],
      ['90 minutes', 0],
    ] as const) {
      await pass(key, passed)
      await t.store.upkeep.sweep(90)
      expect(await windows()).toBe(left)
    }
  })
})

/** As if `time` had passed since the key was last submitted. */
const pass = (key: string, time: string) =>
  t.sql.query(
    `update punctual.key_windows set until_at = until_at - $2::interval, used_at = used_at - $2::interval
     where key = $1`,
    [key, time],
  )

describe('batches and transactions', () => {
  it('repeated keys in a batch have the same effect as separate submissions in that order', async () => {
    const [a, b, c] = [kit.key(), kit.key(), kit.key()]
    const replace = { key: a, onConflict: 'replace' } as const
    const throttle = { key: b, onConflict: 'throttle', window: '1h' } as const
    const accepted = await kit.submitMany([
      [replace, 1],
      [throttle, 1],
      [{}, 'without a key'],
      [replace, 2],
      [{ key: c }, 1],
      [throttle, 2],
      [{ key: a }, 3],
      [{ key: c, onConflict: 'replace' }, 2],
      [{ key: c, onConflict: 'debounce', window: '1h' }, 3],
    ])
    const [ofA, ofB, , , ofC] = accepted.map(({ id }) => id)
    expect(accepted.map(({ id, outcome }) => [id, outcome])).toEqual([
      ...[
        [ofA, 'created'],
        [ofB, 'created'],
        [expect.any(String), 'created'],
        [ofA, 'replaced'],
      ],
      ...[
        [ofC, 'created'],
        [ofB, 'existing'],
        [ofA, 'existing'],
        [ofC, 'replaced'],
      ],
      [ofC, 'replaced'],
    ])
    expect(await kit.payload(ofA as string)).toBe(2)
    expect(await kit.payload(ofB as string)).toBe(1)
    expect(await kit.payload(ofC as string)).toBe(3)
    expect(await t.places(ofC as string)).toEqual(['later'])
  })

  it('a batch with a key conflict stores nothing', async () => {
    const [taken, free] = [kit.key(), kit.key()]
    await kit.submit({ key: taken }, 'old')
    const before = await t.count('runs')
    const batches = [
      [
        [{ key: free, onConflict: 'error' }, 1],
        [{}, 2],
        [{ key: taken, onConflict: 'error' }, 3],
      ],
      [
        [{ key: free }, 1],
        [{ key: free, onConflict: 'error' }, 2],
      ],
      [
        [{ key: free, onConflict: 'error' }, 1],
        [{ key: free, onConflict: 'error' }, 2],
      ],
    ] as const
    for (const batch of batches)
      await expect(kit.submitMany(batch)).rejects.toMatchObject({ code: 'key_conflict' })
    expect(await t.count('runs')).toBe(before)
    expect(await kit.holder(free)).toBeNull()
  })

  it('key changes commit or roll back with the transaction of the caller', async () => {
    const client = await inTransaction()
    const [waits, runs, fresh] = [kit.key(), kit.key(), kit.key()]
    const runner = await kit.holders.running(runs)
    const waiter = await kit.holders['in queue'](waits)
    const submit = () =>
      kit.submitMany(
        [
          [{ key: waits, onConflict: 'replace' }, 'new'],
          [{ key: runs, onConflict: 'debounce', window: '5s' }, 'new'],
          [{ key: fresh, onConflict: 'throttle', window: '1h' }, 'new'],
        ],
        client,
      )
    await submit()
    await client.query('rollback')
    expect(await kit.payload(waiter)).toBe('old')
    expect([await kit.holder(runs), await kit.holder(fresh)]).toEqual([runner, null])
    await client.query('begin')
    const outcomes = (await submit()).map(({ outcome }) => outcome)
    await client.query('commit')
    expect(outcomes).toEqual(['replaced', 'created', 'created'])
    expect(await kit.payload(waiter)).toBe('new')
  })

  it('keys and windows of different tenants are independent', async () => {
    const made = await t.sql.query(`insert into punctual.tenants (name) values ('x') returning id`)
    const tenantId = made.rows[0].id as number
    for (const how of [{ ...keeping.throttle }, { ...changing.replace }, { onConflict: 'error' }]) {
      const options = compileOptions('test', { key: kit.key(), ...how } as SubmitOptions)
      const submission = [{ options, payload: '1' }]
      const [ours] = await t.store.submit(submission)
      const [theirs] = await t.store.submit(submission, { tenantId })
      expect([ours, theirs]).toMatchObject([{ created: true }, { created: true }])
      expect(await t.places(ours?.id as string)).toEqual(['queue'])
    }
    await t.sql.query('delete from punctual.live_keys where tenant_id = $1', [tenantId])
    await t.sql.query('delete from punctual.queue where tenant_id = $1', [tenantId])
  })

  it('a key conflict leaves nothing in the transaction of the caller, which stays usable', async () => {
    const client = await inTransaction()
    const [taken, free] = [kit.key(), kit.key()]
    await kit.submit({ key: taken })
    const batch = [free, taken].map((key) => [{ key, onConflict: 'error' }, 1] as const)
    await expect(kit.submitMany(batch, client)).rejects.toMatchObject({ code: 'key_conflict' })
    await client.query('commit')
    expect(await kit.holder(free)).toBeNull()
  })
})
