/**
 * The SQL function `punctual.submit`: refusals, keys, privileges, hints, and other schema names.
 */
import { encodeJson } from '@punctual/core/check'
import { limits, type PunctualError } from '@punctual/core/errors'
import { compileOptions } from '@punctual/core/submit'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { eventually, TestStore } from '@punctual/testkit'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

async function submit(options: object | null = {}, handler: unknown = 'test', payload = '{"n":1}') {
  const { rows } = await t.sql.query('select punctual.submit($1, $2, $3) as id', [
    ...[handler, payload, options === null ? null : JSON.stringify(options)],
  ])
  return rows[0].id as string
}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: pg.DatabaseError) => [error.code, error.message.split(':')[0]],
  )

function codeOf(make: () => unknown): string | null {
  try {
    make()
    return null
  } catch (error) {
    return (error as PunctualError).code
  }
}

describe('submissions that SQL refuses as the library does', () => {
  const long = (n: number) => 'x'.repeat(n)
  const labels = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [i, 'x']))

  it('SQL refuses options that are out of bounds, of a wrong type or unknown', async () => {
    const bad: [library: object, sql?: object][] = [
      [{ priority: 11 }],
      [{ priority: 1.5 }],
      [{ priority: '5' }],
      [{ maxAttempts: 0 }, { max_attempts: 0 }],
      [{ maxAttempts: 1001 }, { max_attempts: 1001 }],
      [{ timeoutMs: 0 }, { timeout_ms: 0 }],
      [{ timeoutMs: 2_000_000_001 }, { timeout_ms: 2_000_000_001 }],
      [{ queue: '' }],
      [{ queue: long(129) }],
      [{ queue: 'a\nb' }],
      [{ queue: 'a\u0085b' }],
      [{ queue: 7 }],
      [{ key: long(256) }],
      [{ labels: { a: 1 } }],
      [{ labels: ['a'] }],
      [{ labels: labels(17) }],
      [{ labels: { [long(65)]: 'x' } }],
      [{ labels: { a: long(257) } }],
      [{ createdBy: long(257) }, { created_by: long(257) }],
      [{ trace: long(513) }],
      [{ delayMs: -1 }, { delay_ms: -1 }],
      [{ delayMs: limits.delayMsMax + 1 }, { delay_ms: limits.delayMsMax + 1 }],
      [{ delayMs: '5' }, { delay_ms: '5' }],
      [{ runAt: 'tomorrow' }, { run_at: 'tomorrow' }],
      [{ runAt: '5' }, { run_at: '5' }],
      [{ runAt: '2030-02-30' }, { run_at: '2030-02-30' }],
      [{ runAt: '2030-01-01T12:00:00' }, { run_at: '2030-01-01T12:00:00' }],
      [{ runAt: '2030-01-01T12:00:60Z' }, { run_at: '2030-01-01T12:00:60Z' }],
      [{ runAt: '1969-12-31' }, { run_at: '1969-12-31' }],
      [{ runAt: 253_402_300_800_000 }, { run_at: 253_402_300_800_000 }],
      [{ runAt: true }, { run_at: true }],
      [
        { runAt: 1, delayMs: 1 },
        { run_at: 1, delay_ms: 1 },
      ],
      [{ colour: 'red' }],
    ]
    for (const [library, sql = library] of bad) {
      expect(codeOf(() => compileOptions('test', library))).toBe('invalid_option')
      expect(await refusal(submit(sql)), JSON.stringify(sql)).toEqual(['22023', 'invalid_option'])
    }
  })

  it.each([
    ['an invalid interval', { delay: 'soon' }],
    ['a negative interval', { delay: '-1 second' }],
    ['an interval of centuries', { delay: '200 years' }],
    ['a delay without a unit', { delay: 5 }],
    ['two due times', { delay: '1 s', delay_ms: 1 }],
    ['an unknown tenant', { tenant: 'nobody' }],
    ['a list of options', [1]],
  ])('SQL refuses %s', async (_, options) => {
    expect(await refusal(submit(options))).toEqual(['22023', 'invalid_option'])
  })

  it('SQL refuses handler names that are missing, too long or not printable', async () => {
    for (const handler of [null, '', long(129), 'a\tb'])
      expect(await refusal(submit({}, handler))).toEqual(['22023', 'invalid_option'])
  })

  it('SQL refuses payloads too large or deep, or with numbers JavaScript cannot represent', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(codeOf(() => encodeJson(JSON.parse(nested(100))))).toBeNull()
    expect(codeOf(() => encodeJson(JSON.parse(nested(101))))).toBe('payload_too_deep')
    await submit({}, 'test', nested(100))
    await submit({}, 'test', `"${long(limits.payloadBytes - 2)}"`)
    const bad: [string, string][] = [
      [nested(101), 'payload_too_deep'],
      [`{"a":${nested(100)}}`, 'payload_too_deep'],
      [`"${long(limits.payloadBytes - 1)}"`, 'payload_too_large'],
      ['{"id":9007199254740993}', 'invalid_payload'],
      ['[0.12345678901234567891]', 'invalid_payload'],
      ['1e400', 'invalid_payload'],
    ]
    for (const [payload, code] of bad)
      expect(await refusal(submit({}, 'test', payload))).toEqual(['22023', code])
    for (const payload of ['9007199254740992', '0.1', '1e300', '1.50000000000000000000', '-5e-324'])
      await submit({}, 'test', payload)
  })

  it('SQL refuses a handler whose name belongs to targets', async () => {
    expect(await refusal(submit({}, '@http'))).toEqual(['22023', 'invalid_option'])
  })

  it('SQL refuses a lane beyond the quota of the tenant', async () => {
    await t.sql.query('begin')
    await t.sql.query(
      `insert into punctual.lanes (tenant_id, queue, handler, priority)
       select 1, 'many', 'handler ' || i, 5 from generate_series(1, 1000) i`,
    )
    expect(await refusal(submit({}, 'one more'))).toEqual(['53400', 'lanes_exhausted'])
    await t.sql.query('rollback')
  })
})

describe('submitting in SQL', () => {
  it('submitting in SQL needs only a handler name, and null options count as omitted', async () => {
    const { rows } = await t.sql.query(`select punctual.submit('test') as id`)
    expect(await t.store.runs.find(rows[0].id)).toMatchObject({ payload: null, state: 'queued' })
    const id = await submit({ key: null, queue: null, labels: { a: null } })
    expect(await t.store.runs.find(id)).toMatchObject({ queue: 'default', key: null, labels: {} })
    await submit(null)
  })

  it('a run submitted in SQL with a delay is due after that interval', async () => {
    const run = await t.store.runs.find(await submit({ delay: '90 minutes' }))
    const aheadMs = (run?.dueAt.getTime() ?? 0) - (run?.createdAt.getTime() ?? 0)
    expect(Math.round(aheadMs / 60_000)).toBe(90)
    expect(run?.state).toBe('scheduled')
  })

  it('a run submitted in SQL accepts a timestamptz with an offset as its due time', async () => {
    const { rows } = await t.sql.query(
      `select punctual.submit('test', '1', jsonb_build_object('run_at', '2031-07-01 12:00:00.123987+02'::timestamptz)) as id`,
    )
    const run = await t.store.runs.find(rows[0].id)
    expect(run?.dueAt.toISOString()).toBe('2031-07-01T10:00:00.123Z')
  })

  it('SQL and the library share submission keys', async () => {
    const first = await submit({ key: 'shared' })
    expect(await submit({ key: 'shared' })).toBe(first)
    expect(await t.submit({ key: 'shared' })).toBe(first)
    const other = await t.submit({ key: 'theirs' })
    expect(await submit({ key: 'theirs' })).toBe(other)
    expect(await t.places(first)).toEqual(['queue'])
  })

  it.each([
    ['commit', 'returns that run'],
    ['rollback', 'creates a run whose position is not in the past'],
  ])(
    'a submission in SQL waits for its key in another transaction, and after %s %s',
    async (end) => {
      const other = new pg.Client({ connectionString: t.url })
      await other.connect()
      await other.query('begin')
      const taking = `select punctual.submit('test', '1', '{"key": "until ${end}"}') as id`
      const first = (await other.query(taking)).rows[0].id
      const waiting = submit({ key: `until ${end}` })
      await eventually('the submission waits', async () => {
        const locked =
          'select from pg_stat_activity where datname = current_database() and wait_event_type = $1'
        return (await other.query(locked, ['Lock'])).rowCount !== 0
      })
      const clock = `select floor(extract(epoch from clock_timestamp()) * 1000)::text as ms`
      const endedMs = Number((await other.query(clock)).rows[0].ms)
      await other.query(end)
      const id = await waiting
      await other.end()
      expect(id === first).toBe(end === 'commit')
      expect(await t.places(id)).toEqual(['queue'])
      if (end === 'commit') return
      const pos = 'select (pos >> 20)::text as ms from punctual.queue where run_id = $1'
      const { rows } = await t.sql.query(pos, [id])
      expect(Number(rows[0].ms)).toBeGreaterThanOrEqual(endedMs)
    },
  )

  it('runs submitted in SQL are claimed once, in the order of submission', async () => {
    await t.sql.query('delete from punctual.queue')
    const { rows } = await t.sql.query(
      `select punctual.submit('test', to_jsonb(i)) as id from generate_series(1, 50) i`,
    )
    const ids = rows.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)].sort())
    const session = await t.session()
    const claimed = await t.claim(session, 100)
    expect(claimed.runs.map(({ id }) => id)).toEqual(ids)
    expect(claimed.runs.map(({ payload }) => payload)).toEqual(ids.map((_, i) => String(i + 1)))
  })

  it('the commit of a submission in SQL sends a hint, preceded by one for a new lane', async () => {
    const listener = new pg.Client({ connectionString: t.url })
    await listener.connect()
    const received: string[] = []
    listener.on('notification', ({ payload }) => received.push(payload ?? ''))
    await listener.query('listen punctual_due')
    await submit({ queue: 'a new one' })
    await eventually('both hints', () => received.length >= 2)
    const { rows } = await t.sql.query(`select id from punctual.lanes where queue = 'a new one'`)
    expect(received).toEqual([`- new ${rows[0].id}`, `- due ${rows[0].id}`])
    await listener.end()
  })

  it('a rolled back submission in SQL leaves neither a run nor a lane', async () => {
    await t.sql.query('begin')
    const id = await submit({ queue: 'never' })
    await t.sql.query('rollback')
    expect(await t.places(id)).toEqual([])
    const { rows } = await t.sql.query(`select from punctual.lanes where queue = 'never'`)
    expect(rows).toEqual([])
  })

  it('submitting in SQL ignores functions and tables that shadow its own in search_path', async () => {
    await t.sql.query(`
      create schema evil;
      create function evil.left(text, integer) returns text language sql as $$ select 'evil' $$;
      create function evil.clock_timestamp() returns timestamptz language sql as $$ select null::timestamptz $$;
      create table evil.runs (id uuid);
      set search_path = evil, pg_catalog`)
    const id = await submit()
    await t.sql.query('reset search_path')
    expect(await t.places(id)).toEqual(['queue'])
  })
})

describe('privileges for submitting in SQL', () => {
  // Roles belong to the whole server, which other test files share.
  const role = `submitter_${systemRandom.token()}`
  beforeAll(() => t.sql.query(`create role ${role}; grant usage on schema punctual to ${role}`))
  afterAll(() => t.sql.query(`drop owned by ${role}; drop role ${role}`))

  async function asRole(work: () => Promise<void>): Promise<void> {
    await t.sql.query(`set role ${role}`)
    await work().finally(() => t.sql.query('reset role'))
  }

  it('submitting in SQL runs with the privileges of the caller', async () => {
    await asRole(async () => expect((await refusal(submit()))?.[0]).toBe('42501'))
  })

  it('the privileges listed in the SQL guide are enough to submit', async () => {
    await t.sql.query(`
      grant select on punctual.tenants, punctual.lanes, punctual.live_keys to ${role};
      grant insert on punctual.lanes, punctual.live_keys, punctual.runs, punctual.queue, punctual.later to ${role}`)
    await asRole(async () => {
      for (const options of [{ key: 'as submitter', queue: 'theirs' }, { delay: '1 day' }])
        expect(await submit(options)).toMatch(/-7/)
    })
  })

  it('the privileges that doctor requires are enough to submit', async () => {
    await t.sql.query(
      `grant select, insert, update, delete on all tables in schema punctual to ${role}`,
    )
    await asRole(async () => {
      expect(await submit({ key: 'as app', queue: 'of app', delay: '1 day' })).toMatch(/-7/)
    })
  })
})

it('submitting in SQL works in a schema with another name', async () => {
  const ports = { clock: systemClock, random: systemRandom, node: 'n' }
  const store = new PostgresStore({ url: t.url, schema: 'elsewhere', ...ports })
  await store.migrate()
  await t.sql.query('listen elsewhere_due')
  const hint = new Promise((resolve) => t.sql.once('notification', resolve))
  const { rows } = await t.sql.query(`select elsewhere.submit('test', '1') as id`)
  await hint
  expect(await store.runs.find(rows[0].id)).toMatchObject({ state: 'queued' })
  expect(await t.store.runs.find(rows[0].id)).toBeNull()
  await store.close()
})
