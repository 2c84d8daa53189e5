/**
 * The guarantees on real servers: durable, with unsafe settings, and with standbys that follow or
 * are gone.
 */
import type { GuaranteePanel, PromiseName } from '@punctual/core/ports'
import { eventually, migratedDatabase } from '@punctual/testkit'
import { Punctual } from 'punctual'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { both, cli } from '../kit/cli-process.ts'
import { query, StandbyPair } from '../kit/standby-pair.ts'

const COMMITTED: PromiseName[] = ['one-slot', 'one-outcome', 'nothing-lost', 'honest-effects']

async function panelOf(databaseUrl: string): Promise<GuaranteePanel> {
  const punctual = await Punctual.start({ databaseUrl, roles: [] })
  try {
    return await punctual.guarantees()
  } finally {
    await punctual.stop()
  }
}

const causes = (panel: GuaranteePanel) => panel.weaknesses.map(({ cause }) => cause)
const weakened = (panel: GuaranteePanel) =>
  panel.guarantees.filter(({ verdict }) => verdict === 'weakened').map(({ promise }) => promise)

describe('on a server with unsafe settings', () => {
  test('promises that rest on commits are weakened, each with its causes and its fix', async () => {
    const database = await migratedDatabase()
    onTestFinished(() => database.drop())
    const { table, value } = await both(['doctor'], { env: { DATABASE_URL: database.url } })
    const panel = value.guarantees as GuaranteePanel
    expect(panel.verdict).toBe('weakened')
    expect(weakened(panel)).toEqual(COMMITTED)
    expect(causes(panel)).toEqual(['fsync', 'full_page_writes', 'synchronous_commit'])
    expect(table.stdout).toMatch(/WEAKENED +Nothing is lost +by fsync, full_page_writes/)
    expect(table.stdout).toMatch(/holds +The database's clock decides/)
    expect(table.stdout).toMatch(/→ Set synchronous_commit = on/)
  })

  test('synchronous_commit is read as it applies to this connection', async () => {
    const database = await migratedDatabase()
    onTestFinished(() => database.drop())
    await query(database.url, `alter database ${database.name} set synchronous_commit = on`)
    expect(causes(await panelOf(database.url))).toEqual(['fsync', 'full_page_writes'])
  })

  test('exhausted connections and a read-only database are reported', async () => {
    const database = await migratedDatabase()
    onTestFinished(() => database.drop())
    const punctual = await Punctual.start({ databaseUrl: database.url, roles: [] })
    onTestFinished(() => punctual.stop())
    await query(database.url, `alter database ${database.name} with connection limit 21`)
    await query(
      database.url,
      `alter database ${database.name} set default_transaction_read_only = on`,
    )
    const panel = await punctual.guarantees()
    expect(causes(panel)).toEqual(expect.arrayContaining(['connections', 'read_only']))
  })

  test('planners with different time zone data are reported with their versions', async () => {
    const database = await migratedDatabase()
    onTestFinished(() => database.drop())
    await query(
      database.url,
      `insert into punctual.planners values (1, now() + interval '1 hour', '2024a'),
        (2, now() + interval '1 hour', '2025b'), (3, now() - interval '1 hour', '2011a')`,
    )
    const { weaknesses, facts } = await panelOf(database.url)
    expect(weaknesses.at(-1)).toMatchObject({ cause: 'zone_data', weakens: ['one-slot'] })
    expect(weaknesses.at(-1)?.why).toContain('2024a, 2025b')
    expect(facts.plannerZoneData).toEqual(['2024a', '2025b'])
  })

  test('a role with few privileges gets a report of only the checks that it cannot make', async () => {
    const database = await migratedDatabase()
    onTestFinished(() => database.drop())
    const role = `looks_${database.name.slice(-8)}`
    await query(database.url, `create role ${role} login password 'x'`)
    onTestFinished(async () => void (await query(database.url, `drop role ${role}`)))
    const asRole = new URL(database.url)
    Object.assign(asRole, { username: role, password: 'x' })
    const { stdout } = await cli(['doctor', '--json'], { env: { DATABASE_URL: asRole.href } })
    const { guarantees } = JSON.parse(stdout) as { guarantees: GuaranteePanel }
    expect(guarantees.facts.plannerZoneData).toBeNull()
    expect(causes(guarantees)).toContain('fsync')
  })
})

describe('on a durable server with a standby', () => {
  let pair: StandbyPair
  let url: string
  beforeAll(async () => {
    pair = await StandbyPair.start()
    url = pair.primary.url
  }, 120_000)
  afterAll(() => pair.stop())

  const eventuallyPanel = async (what: string, is: (panel: GuaranteePanel) => boolean) => {
    let panel = await panelOf(url)
    await eventually(what, async () => {
      panel = await panelOf(url)
      return is(panel)
    })
    return panel
  }

  test('a durable server without a standby has every guarantee', async () => {
    const panel = await panelOf(url)
    expect([panel.verdict, weakened(panel)]).toEqual(['holds', []])
    expect(panel.facts).toMatchObject({ timeline: '1', standbys: [], synchronousCommit: 'on' })
    expect(panel.notes.join()).toContain('No standby is connected')
  })

  test('an asynchronous standby weakens the guarantees that a fail-over to it would break', async () => {
    await pair.standby()
    const panel = await eventuallyPanel('it is connected', ({ facts }) => facts.standbys.length > 0)
    expect(panel.facts.standbys).toMatchObject([{ name: 'second', syncState: 'async' }])
    expect([causes(panel), weakened(panel)]).toEqual([['standby_asynchronous'], COMMITTED])
  })

  test('a synchronous standby weakens nothing', async () => {
    await pair.setSynchronous('second')
    const panel = await eventuallyPanel('it is synchronous', ({ verdict }) => verdict === 'holds')
    expect(panel.facts.standbys).toMatchObject([{ name: 'second', syncState: 'sync' }])
    const { stdout } = await cli(['doctor'], { env: { DATABASE_URL: url } })
    expect(stdout).toMatch(/holds +One slot, one decision/)
  })

  test('commits that do not wait for the standby are reported', async () => {
    await query(url, 'alter role current_user set synchronous_commit = local')
    expect(causes(await panelOf(url))).toEqual(['synchronous_commit'])
    await query(url, 'alter role current_user reset synchronous_commit')
  })

  test('a missing standby is reported while commits wait for it', async () => {
    const punctual = await Punctual.start({ databaseUrl: url, roles: [] })
    onTestFinished(() => punctual.stop())
    await pair.stopStandby()
    let panel = await punctual.guarantees()
    await eventually('the standby is gone', async () => {
      panel = await punctual.guarantees()
      return panel.facts.standbys.length === 0
    })
    expect([causes(panel), weakened(panel)]).toEqual([['standby_missing'], ['nothing-lost']])
  })
})
