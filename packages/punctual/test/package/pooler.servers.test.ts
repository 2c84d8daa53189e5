/** The doctor and the guarantees behind PgBouncer in transaction mode. */
import type { Finding } from '@punctual/store'
import { describeWithServer, migratedDatabase, startPgBouncer } from '@punctual/testkit'
import { Punctual } from 'punctual'
import { expect, onTestFinished, test } from 'vitest'
import { cli } from '../kit/cli-process.ts'

async function startPooler() {
  const database = await migratedDatabase()
  onTestFinished(() => database.drop())
  const pooler = await startPgBouncer({ upstreamUrl: database.url, poolMode: 'transaction' })
  onTestFinished(() => pooler.stop())
  return pooler
}

describeWithServer('pgbouncer', () => {
  test('doctor detects a pooler and warns about named statements through it', async () => {
    const pooler = await startPooler()
    const doctor = async (...flags: string[]) => {
      const { stdout } = await cli(['doctor', '--json', '--database-url', pooler.url, ...flags])
      const findings = JSON.parse(stdout).findings as Finding[]
      return Object.fromEntries(findings.map(({ check, level }) => [check, level]))
    }
    expect(await doctor()).toMatchObject({ pooling: 'warn', 'prepared statements': 'ok' })
    expect(await doctor('--prepared-statements', 'on')).toMatchObject({
      'prepared statements': 'warn',
    })
  })

  test('a pooler in between weakens nothing and is noted', async () => {
    const pooler = await startPooler()
    const punctual = await Punctual.start({ databaseUrl: pooler.url, roles: [] })
    onTestFinished(() => punctual.stop())
    const panel = await punctual.guarantees()
    expect(panel.facts.pooled).toBe(true)
    expect(panel.notes.join()).toContain('connects through a pooler')
    expect(panel.weaknesses.map(({ cause }) => cause)).toEqual([
      'fsync',
      'full_page_writes',
      'synchronous_commit',
    ])
  })
})
