/** Groups of runs through the library, with a real worker. */
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GroupDone, NonRetryableError, Punctual } from '../../src/index.ts'

let database: TestDatabase
let punctual: Punctual
/** A separate process without roles and without a worker. */
let client: Punctual
const calledBack = new Map<string, { runId: string; payload: GroupDone<{ file: string }> }[]>()
let release = () => {}
let released: Promise<void>

beforeAll(async () => {
  database = await migratedDatabase()
  client = await Punctual.start({ databaseUrl: database.url, roles: [] })
  punctual = await Punctual.start({ databaseUrl: database.url })
  punctual.handler('row', (n: number) => n)
  punctual.handler('bad row', () => {
    throw new NonRetryableError('no such customer')
  })
  punctual.handler('flaky row', (_, { attempt }) => {
    if (attempt < 3) throw new Error('not yet')
  })
  released = new Promise((resolve) => {
    release = resolve
  })
  punctual.handler('held row', () => released)
  punctual.handler('all imported', (payload: GroupDone<{ file: string }>, { runId }) => {
    const calls = calledBack.get(payload.group.id) ?? []
    calledBack.set(payload.group.id, [...calls, { runId, payload }])
  })
})
afterAll(async () => {
  release()
  await client.stop()
  await punctual.stop()
  await database.drop()
})

const onDone = { handler: 'all imported', payload: { file: 'a.csv' } }
const rows = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ handler: 'row', payload: n }))

async function callOf(id: string) {
  await eventually('the callback has run', async () => calledBack.has(id))
  return calledBack.get(id)?.[0]
}

async function count(table: string): Promise<number> {
  const sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  const { rows } = await sql.query(`select count(*)::int as n from punctual.${table}`)
  await sql.end()
  return rows[0].n
}

describe('a group', () => {
  it("a group's callback runs once all members have ended, and gets how they ended", async () => {
    const flaky = {
      handler: 'flaky row',
      options: { retry: { backoff: { kind: 'fixed' as const, delayMs: 1 } } },
    }
    const group = await client.groups.submit({
      name: 'import 17',
      runs: [...rows(20), { handler: 'bad row' }, flaky],
      onDone,
    })
    const done = await group.done()
    expect(done).toMatchObject({ name: 'import 17', total: 22, ended: 22, open: false, done: true })
    expect(done.counts).toMatchObject({ succeeded: 21, dead: 1, running: 0, queued: 0 })
    const call = await callOf(group.id)
    expect(call?.payload).toEqual({
      group: {
        ...{ id: group.id, name: 'import 17', total: 22, succeeded: 21, dead: 1 },
        ...{ cancelled: 0, skipped: 0, unknown: 0 },
      },
      payload: { file: 'a.csv' },
    })
    expect(call?.runId).toBe(done.callbackRunId)
  })

  it('a group reports its progress', async () => {
    const later = { handler: 'row', options: { delayMs: 3_600_000 } }
    const unheard = { handler: 'nobody has this' }
    const group = await client.groups.submit({ runs: [...rows(3), later, unheard] })
    await eventually('three have ended', async () => (await group.get()).ended === 3)
    expect((await group.get()).counts).toMatchObject({ succeeded: 3, scheduled: 1, queued: 1 })
    expect(await client.groups.runs(group, { from: 2, limit: 2 })).toMatchObject([
      { place: 2, state: 'succeeded' },
      { place: 3, state: 'scheduled' },
    ])
    await expect(group.done({ timeoutMs: 30 })).rejects.toMatchObject({ code: 'wait_timeout' })
    const [newest] = await client.groups.list({ done: false, limit: 1 })
    expect(newest).toMatchObject({ id: group.id, total: 5, done: false, callbackRunId: null })
    await group.cancel()
  })

  it('a group without runs is done at once', async () => {
    const group = await client.groups.submit({ onDone })
    expect(await group.done()).toMatchObject({ total: 0, done: true })
    expect((await callOf(group.id))?.payload.group).toMatchObject({ total: 0, succeeded: 0 })
  })

  it('an open group takes more runs and is done only after it is closed', async () => {
    const group = await client.groups.submit({ runs: rows(2), open: true, onDone })
    await eventually('both have ended', async () => (await group.get()).ended === 2)
    // With an earlier due time, their ids would come first.
    await group.add([{ handler: 'held row' }, ...rows(2)])
    await eventually('two more have ended', async () => (await group.get()).ended === 4)
    expect(await group.close()).toBe(true)
    expect(await group.close()).toBe(false)
    await expect(group.add(rows(1))).rejects.toMatchObject({ code: 'group_closed' })
    expect(calledBack.has(group.id)).toBe(false)
    release()
    expect(await group.done()).toMatchObject({ total: 5, counts: { succeeded: 5 } })
    expect((await callOf(group.id))?.payload.group.total).toBe(5)
  })

  it('cancelling a group ends its live members, and the callback still runs', async () => {
    const later = { handler: 'row', options: { delayMs: 3_600_000 } }
    const group = await client.groups.submit({ runs: [later, later, later], open: true, onDone })
    expect(await group.cancel('not needed')).toEqual({ cancelled: 3, cancelling: 0 })
    expect(await group.done()).toMatchObject({ open: false, counts: { cancelled: 3 } })
    expect((await callOf(group.id))?.payload.group.cancelled).toBe(3)
  })

  it('a run that already holds the key counts once as a member', async () => {
    const key = 'customer:1'
    const options = { key, delayMs: 3_600_000 }
    const { id } = await client.submit('row', 1, options)
    const member = { handler: 'row', payload: 2, options: { key } }
    const group = await client.groups.submit({ runs: [member, member, ...rows(1)] })
    expect(await group.get()).toMatchObject({ total: 2, counts: { scheduled: 1 } })
    expect((await client.groups.runs(group))[0]?.id).toBe(id)
    await client.runs.promote(id)
    expect(await group.done()).toMatchObject({ counts: { succeeded: 2 } })
  })

  it('replaying a dead member leaves the group unchanged: the replay is a separate run', async () => {
    const group = await client.groups.submit({ runs: [{ handler: 'bad row' }] })
    await group.done()
    const [member] = await client.groups.runs(group)
    await client.deadLetters.replay(member?.id as string, { payload: 1 })
    expect(await group.get()).toMatchObject({ total: 1, done: true, counts: { dead: 1 } })
  })
})

describe('a group is created completely or not at all', () => {
  it.each([
    ['an unknown option', { handler: 'row', options: { colour: 'red' } }],
    ['no handler', { payload: 1 }],
    ['a payload that is not JSON', { handler: 'row', payload: 1n }],
    ['an unknown handler', { handler: 'nobody', options: { strict: true } }],
  ])('no group exists when one of its runs has %s', async (name, bad) => {
    const before = [await count('runs'), await count('groups')]
    const runs = [...rows(3), bad] as { handler: string }[]
    const refused = client.groups.submit({ runs })
    const names = name.includes('unknown handler') ? /No live worker/ : /^Item 3: /
    await expect(refused).rejects.toThrow(names)
    expect([await count('runs'), await count('groups')]).toEqual(before)
  })

  it("a group commits or vanishes with the caller's transaction", async () => {
    const sql = new pg.Client({ connectionString: database.url })
    await sql.connect()
    const before = [await count('runs'), await count('groups'), await count('group_members')]
    await sql.query('begin')
    const gone = await client.groups.submit({ runs: rows(3), onDone }, { tx: sql })
    await sql.query('rollback')
    expect(await client.groups.get(gone)).toBeNull()
    const after = [await count('runs'), await count('groups'), await count('group_members')]
    expect(after).toEqual(before)
    await sql.query('begin')
    const kept = await client.groups.submit({ runs: rows(3), open: true, onDone }, { tx: sql })
    await kept.add(rows(2), { tx: sql })
    await kept.close({ tx: sql })
    await sql.query('commit')
    await sql.end()
    expect(await kept.done()).toMatchObject({ total: 5, counts: { succeeded: 5 } })
  })

  it('only closing a group waits for open transactions that add to it', async () => {
    const group = await client.groups.submit({ runs: rows(1), open: true })
    const sql = new pg.Client({ connectionString: database.url })
    await sql.connect()
    await sql.query('begin')
    await group.add([{ handler: 'nobody has this' }], { tx: sql })
    const other = await client.groups.submit({ runs: rows(3), onDone })
    await other.done()
    const closing = group.close()
    await sql.query('commit')
    await sql.end()
    expect(await closing).toBe(true)
    await group.cancel()
    expect(await group.done()).toMatchObject({ counts: { succeeded: 1, cancelled: 1 } })
  })
})

describe('an invalid group', () => {
  const refusals: [string, object, RegExp][] = [
    ['an unknown field', { run: [] }, /group must be an object with only name, runs, onDone, open/],
    ['runs that are not a list', { runs: 'all' }, /runs must be an array/],
    ['a callback with a key', { onDone: { ...onDone, options: { key: 'x' } } }, /options\.key/],
    ['a callback without handler', { onDone: { payload: 1 } }, /handler must be/],
    ['an empty name', { name: '' }, /name must be/],
  ]
  it.each(refusals)('%s is refused', async (_, options, message) => {
    await expect(client.groups.submit(options)).rejects.toThrow(message)
  })

  it('a missing group is reported', async () => {
    const nowhere = client.groups.handle('019a8f3c-1c7e-7000-8000-0000000000a1')
    const code = 'group_not_found'
    await expect(nowhere.add(rows(1))).rejects.toMatchObject({ code })
    await expect(nowhere.close()).rejects.toMatchObject({ code })
    await expect(nowhere.done()).rejects.toMatchObject({ code })
    await expect(nowhere.get()).rejects.toMatchObject({ code })
    expect(await client.groups.get(nowhere)).toBeNull()
  })
})
