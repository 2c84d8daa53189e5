/** The SQL function `punctual.submit` writes the same rows as `submit` of the library. */
import { limits } from '@punctual/core/errors'
import { runIdTimeMs } from '@punctual/core/run'
import type { SubmitOptions } from '@punctual/core/submit'
import { postgresMajors, TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const DAY_MS = 86_400_000
const SNAKE: Readonly<Record<string, string>> = {
  ...{ runAt: 'run_at', delayMs: 'delay_ms', maxAttempts: 'max_attempts' },
  ...{ timeoutMs: 'timeout_ms', createdBy: 'created_by' },
}

let t: TestStore

async function inSql(handler: unknown, payload: unknown, options: object = {}): Promise<string> {
  const named = Object.entries(options).map(([name, value]) => [SNAKE[name] ?? name, value])
  const { rows } = await t.sql.query('select punctual.submit($1, $2, $3) as id', [
    handler,
    JSON.stringify(payload),
    JSON.stringify(Object.fromEntries(named)),
  ])
  return rows[0].id
}

/** Returns all rows of the only run, and deletes them. */
async function takeAll() {
  const { rows } = await t.sql.query(`
    select to_jsonb(r) as run, to_jsonb(q) as queue, to_jsonb(l) as later, to_jsonb(k) as held,
      payload::jsonb as payload
    from punctual.runs r
    left join punctual.queue q on q.run_id = r.id
    left join punctual.later l on l.run_id = r.id
    left join punctual.live_keys k on k.run_id = r.id`)
  for (const table of ['runs', 'queue', 'later', 'live_keys', 'lanes'])
    await t.sql.query(`delete from punctual.${table}`)
  expect(rows).toHaveLength(1)
  return rows[0]
}

/**
 * The row without values that differ between submissions; times become distances from the id's
 * time.
 */
function shape(row: Awaited<ReturnType<typeof takeAll>>, fixedDue: boolean) {
  const seconds = (text: string) => Math.round(Date.parse(text) / 20_000)
  const { id, created_at: createdAt, due_at: dueAt, payload: _, lane, ...run } = row.run
  const due = fixedDue ? dueAt : 'relative'
  const place = (at: Record<string, unknown> | null) => {
    if (at === null) return null
    const { run_id: runId, pos, due_at: placeDue, lane: placeLane, ...rest } = at
    expect([runId, placeLane]).toEqual([id, lane])
    if (placeDue !== undefined) expect(placeDue).toBe(dueAt)
    // A position is the due time, or now, and never in the past.
    const created = Math.floor(Date.parse(createdAt))
    const posMs = pos === undefined ? null : Number(BigInt(pos as number) >> 20n)
    if (posMs !== null) expect(posMs).toBeGreaterThanOrEqual(created - 1)
    const soon = posMs !== null && posMs - Math.max(created, Date.parse(dueAt)) < 2_000
    return { ...rest, soon }
  }
  const idAhead = seconds(new Date(runIdTimeMs(id)).toISOString()) - seconds(createdAt)
  const { run_id: holder, created_at: __, ...held } = row.held ?? {}
  expect(holder === undefined || holder === id).toBe(true)
  expect(id[14]).toBe('7')
  return {
    run,
    due,
    payload: row.payload,
    held,
    queue: place(row.queue),
    later: place(row.later),
    idAhead,
  }
}

const text = (maxLength: number) =>
  fc.stringMatching(/^[ -~é€]+$/, { maxLength }).filter((value) => value.length > 0)
const nowMs = Date.now()
const options = fc.record(
  {
    queue: text(limits.nameLength),
    priority: fc.integer({ min: 0, max: 10 }),
    maxAttempts: fc.integer({ min: 1, max: limits.attemptsMax }),
    timeoutMs: fc.integer({ min: 1, max: limits.timeoutMsMax }),
    key: text(limits.keyLength),
    labels: fc.dictionary(text(limits.labelKeyLength), fc.oneof(fc.constant(''), text(64)), {
      maxKeys: limits.labelsPerRun,
    }),
    createdBy: text(limits.createdByLength),
    trace: text(limits.traceLength),
  },
  { requiredKeys: [] },
)
const due = fc.oneof(
  fc.constant({}),
  fc.record({ delayMs: fc.constantFrom(0, 20_000, 90_000, 10 * DAY_MS, 20 * DAY_MS) }),
  fc.record({ runAt: fc.integer({ min: nowMs - DAY_MS, max: nowMs - 1 }) }),
  fc.record({ runAt: fc.integer({ min: nowMs + 200_000, max: nowMs + 13 * DAY_MS - 200_000 }) }),
  fc.record({ runAt: fc.integer({ min: nowMs + 14 * DAY_MS, max: 253_402_300_799_999 }) }),
  fc
    .integer({ min: nowMs + 200_000, max: nowMs + 12 * DAY_MS })
    .map((ms) => ({ runAt: new Date(ms).toISOString() })),
)

describe.each(postgresMajors)('submitting in SQL on PostgreSQL %s', (major) => {
  beforeAll(async () => {
    t = await TestStore.open({ major })
  })
  afterAll(() => t.close())

  it('submitting in SQL writes the same rows as the library for random options', async () => {
    await fc.assert(
      fc.asyncProperty(
        text(128).filter((name) => !name.startsWith('@')),
        fc.jsonValue({ noUnicodeString: true }),
        options,
        due,
        async (...given) => {
          const [handler, payload, some, when] = given
          const all = { ...some, ...when } as SubmitOptions
          const fixedDue = 'runAt' in when
          t.store.lanes.forget()
          await t.submit({ handler, payload, ...all })
          const byLibrary = shape(await takeAll(), fixedDue)
          await inSql(handler, payload, all)
          expect(shape(await takeAll(), fixedDue)).toEqual(byLibrary)
        },
      ),
      { numRuns: major === 18 ? 60 : 15 },
    )
  })
})
