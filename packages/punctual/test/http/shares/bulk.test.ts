/**
 * Many bulk requests of one tenant, each with a refused line, while another tenant writes: the
 * connections of requests are shared, and no transaction has a savepoint for each line.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpKit } from '../../kit/http-kit.ts'

let http: HttpKit

beforeAll(async () => {
  http = await HttpKit.open()
})
afterAll(() => http.close())

/** Jobs whose last line the database refuses: its calendar is missing. */
function linesWithOneBad(prefix: string, lines: number): string {
  const good = Array.from({ length: lines }, (_, i) => ({
    ...{ name: `${prefix}-${i}`, handler: 'crowd', schedule: '@daily' },
  }))
  const bad = {
    name: `${prefix}-bad`,
    handler: 'crowd',
    schedule: '@daily',
    calendars: ['missing'],
  }
  return [...good, bad].map((line) => JSON.stringify(line)).join('\n')
}

const bulk = (prefix: string, lines: number) =>
  http.post('/jobs/bulk?mode=each', undefined, {
    raw: linesWithOneBad(prefix, lines),
    headers: { 'content-type': 'application/x-ndjson' },
  })

describe.for([
  [8, 1_000],
  [40, 200],
] as const)('%i concurrent bulk requests of one tenant', ([count, lines]) => {
  test('do not delay the writes of another tenant until they have ended', {
    timeout: 240_000,
  }, async () => {
    const key = await http.keyFor('rival', 'admin')
    const observer = await http.punctual.store.database.connect()
    const ended: string[] = []
    const all = Array.from({ length: count }, (_, i) =>
      bulk(`crowd-${count}-${i}`, lines).then((answer) => {
        ended.push('bulk')
        return answer
      }),
    )
    const inTransaction = `select from pg_stat_activity
      where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`
    await expect
      .poll(async () => (await observer.query(inTransaction)).rowCount, { timeout: 30_000 })
      .toBeGreaterThan(1)
    const calm = { name: `calm-${count}`, schedule: '@daily' }
    const answer = await http.post('/jobs', calm, { key })
    ended.push('single')
    expect(answer.status).toBe(201)
    expect(ended).toEqual(['single'])
    // PostgreSQL 16 and later counts the subtransactions of each backend.
    const { rows } = await observer.query(`select current_setting('server_version_num')::int as v`)
    const mostSubtransactions = async () => {
      const sql = `select max(s.subxact_count) as most, bool_or(s.subxact_overflowed) as overflow
        from pg_stat_get_backend_idset() id, pg_stat_get_backend_subxact(id) s`
      return Number(rows[0].v) < 160_000 ? null : (await observer.query(sql)).rows[0]
    }
    while (ended.length <= count) {
      const counted = await mostSubtransactions()
      expect(counted?.overflow ?? 'f').toBe('f')
      expect(Number(counted?.most ?? 0)).toBeLessThan(20)
      if (counted === null) break
    }
    for (const { status, body } of await Promise.all(all)) {
      expect([status, body.code]).toEqual([207, undefined])
      expect([body.accepted, body.refused]).toEqual([lines, 1])
      expect(body.items.at(-1).problem).toMatchObject({ code: 'calendar_not_found' })
    }
    await observer.end()
  })
})
