import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { postgresMajors } from './postgres-major.ts'
import { createTemplateDatabase, createTestDatabase } from './test-database.ts'
import { testServer } from './test-server.ts'

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

describe.each(postgresMajors)('on PostgreSQL %i', (major) => {
  test('a test database is private and on a server of that version', async () => {
    const [one, two] = await Promise.all([
      createTestDatabase({ major }),
      createTestDatabase({ major }),
    ])
    onTestFinished(async () => {
      await one.drop()
      await two.drop()
    })
    await query(one.url, 'create table only_here (id int)')
    await expect(query(two.url, 'table only_here')).rejects.toThrow('does not exist')
    expect(await query(one.url, 'show server_version')).toEqual([
      { server_version: expect.stringMatching(new RegExp(`^${major}\\.`)) },
    ])
  })

  test('a database is dropped although a session is still connected', async () => {
    const database = await createTestDatabase({ major })
    const client = new pg.Client(database.url)
    client.on('error', () => {})
    await client.connect()
    await database.drop()
    await database.drop()
    await expect(query(database.url, 'select 1')).rejects.toThrow('does not exist')
    await client.end()
  })

  test('a template is filled once and cloned many times', async () => {
    let fills = 0
    const options = {
      major,
      key: `numbers ${process.pid}`,
      fill: async (url: string) => {
        fills += 1
        await query(url, 'create table numbers as select generate_series(1, 3) as number')
      },
    }
    const templates = await Promise.all([1, 2, 3].map(() => createTemplateDatabase(options)))
    expect(fills).toBe(1)
    expect(new Set(templates).size).toBe(1)
    for (const template of templates) {
      const database = await createTestDatabase({ major, template })
      onTestFinished(() => database.drop())
      expect(await query(database.url, 'table numbers')).toHaveLength(3)
    }
  })
})

test('every caller of one process gets the same server', async () => {
  const [one, two] = await Promise.all([testServer(), testServer({ major: 18 })])
  expect(one.url).toBe(two.url)
})
