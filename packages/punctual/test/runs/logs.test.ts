/** The log of a run in the library and on the command line: bounded per run, and read in pages. */
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { type LogLine, type LogOptions, Punctual } from 'punctual'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { both, cli } from '../kit/cli-process.ts'

const LIMIT = 10_485_760
const MARK = /^The log of this run has reached 10485760 bytes/
const LINES = 10_050

let database: TestDatabase
let punctual: Punctual
let env: Record<string, string>
beforeAll(async () => {
  database = await migratedDatabase()
  env = { DATABASE_URL: database.url }
  punctual = await Punctual.start({ databaseUrl: database.url, roles: ['worker'] })
})
afterAll(async () => {
  await punctual.stop()
  await database.drop()
})

const bytesOf = (lines: readonly LogLine[]) =>
  lines.reduce((sum, { message }) => sum + Buffer.byteLength(message) + 50, 0)

it('a log is bounded per run, not per attempt, and every attempt that lost lines says so', async () => {
  const chatty = punctual.handler('chatty', (_: null, { log, attempt }) => {
    for (let i = 0; i < 200; i++) log.info('x'.repeat(32_768))
    if (attempt < 3) throw new Error('again')
  })
  const { id } = await chatty.submit(null, { retry: { backoff: { kind: 'fixed', delayMs: 0 } } })
  expect(await punctual.runs.waitFor(id)).toMatchObject({ state: 'succeeded' })
  const lines = await punctual.runs.logs(id)
  const kept = lines.filter(({ message }) => !MARK.test(message))
  const marks = lines.filter(({ message }) => MARK.test(message))
  expect(bytesOf(kept)).toBeLessThanOrEqual(LIMIT)
  expect(bytesOf(kept)).toBeGreaterThan(LIMIT - 40_000)
  expect(marks).toMatchObject([
    { attempt: 2, level: 'warn' },
    { attempt: 3, level: 'warn', seq: 0 },
  ])
})

describe('a long log', () => {
  let id: string
  beforeAll(async () => {
    const long = punctual.handler('long', (_: null, { log }) => {
      for (let i = 0; i < LINES; i++) log.info(`line ${i}`)
    })
    id = (await long.submit(null)).id
    await punctual.runs.waitFor(id)
  })

  it('a log is read page by page to its end, or from its end', async () => {
    const first = await punctual.runs.logs(id)
    expect(first).toHaveLength(10_000)
    const after = first.at(-1) as LogLine
    const second = await punctual.runs.logs(id, { after, limit: 30 })
    const third = await punctual.runs.logs(id, { after: second.at(-1) as LogLine, limit: 30 })
    expect([...second, ...third].map(({ message }) => message)).toEqual(
      Array.from({ length: 50 }, (_, i) => `line ${10_000 + i}`),
    )
    expect(await punctual.runs.logs(id, { last: 2 })).toMatchObject([
      { message: `line ${LINES - 2}` },
      { message: `line ${LINES - 1}`, attempt: 1, seq: LINES - 1 },
    ])
  })

  it('`runs logs` shows a log completely, and its end with --last', async () => {
    const [{ table, value }, end, wrong] = await Promise.all([
      both(['runs', 'logs', id], { env }),
      both(['runs', 'logs', id, '--last', '2'], { env }),
      cli(['runs', 'logs', id, '--last', 'all'], { env }),
    ])
    expect(table.stdout.trim().split('\n')).toHaveLength(LINES)
    expect(value).toHaveLength(LINES)
    expect(end.table.stdout).toMatch(/^\S+ #1 info +line 10048\n\S+ #1 info +line 10049\n$/)
    expect(end.table.stderr).toContain('Earlier lines are omitted.')
    expect(end.value).toMatchObject([{ message: 'line 10048' }, { message: 'line 10049' }])
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('--last must be an integer from 1 to 9999'),
    ])
  })

  it('`runs tail` starts with the last lines and says so', async () => {
    const { code, stdout, stderr } = await cli(['runs', 'tail', id], { env })
    const lines = stdout.trim().split('\n')
    expect([code, lines.length]).toEqual([0, 1_000])
    expect(lines[0]).toMatch(/line 9050$/)
    expect(lines.at(-1)).toMatch(/line 10049$/)
    expect(stderr).toContain(`Earlier lines are omitted; \`punctual runs logs ${id}\` shows all.`)
  })

  it('`runs show` ends with the end of the log', async () => {
    const { table, value } = await both(['runs', 'show', id], { env })
    expect(table.stdout).toMatch(/last lines of the log; `punctual runs logs \S+` shows all\n/)
    expect(table.stdout).toMatch(/line 10040\n[\s\S]*line 10049\n$/)
    expect(table.stdout).not.toContain('line 10039')
    expect(value.log).toMatchObject({ earlier: true })
    expect(value.log.lines).toHaveLength(10)
  })
})

it.for([
  [{ limit: 0 }, 'limit'],
  [{ limit: 10_001 }, 'limit'],
  [{ last: 1.5 }, 'last'],
  [{ after: { attempt: -1, seq: 0 } }, 'after.attempt'],
  [{ after: { attempt: 1, seq: 'x' } }, 'after.seq'],
  [{ after: null }, 'after.attempt'],
  [{ last: 5, limit: 5 }, 'last'],
] as [LogOptions, string][])('%j is refused', async ([options, field]) => {
  const id = '01999999-0000-7000-8000-000000000000'
  await expect(punctual.runs.logs(id, options)).rejects.toMatchObject({
    code: 'invalid_option',
    field,
  })
})
