/** The arguments that `punctual.jobs` refuses before it reads or changes anything. */
import type { BackfillOptions, JobOptions, Punctual, SyncOptions } from 'punctual'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { RefusingClient } from '../kit/refusing-client.ts'

let on: RefusingClient
let client: Punctual
beforeAll(async () => {
  on = await RefusingClient.open()
  client = on.client
})
afterAll(() => on.close())

const job = (name: string): JobOptions => ({ name, handler: 'none', cron: '0 0 1 1 *' })
const names = async () => (await client.jobs.list()).map(({ name }) => name)
const invalid = (field: string) => ({ code: 'invalid_option', field })

describe('sync', () => {
  beforeEach(async () => {
    await client.jobs.sync('git', [job('of-git')])
    await client.jobs.sync('other', [job('of-other')])
    await client.jobs.upsert(job('of-nobody'))
  })

  it('a sync without the name of a source is refused and removes nothing', async () => {
    for (const source of [undefined, null, '', 5, {}, 'a\0b'])
      for (const jobs of [[], [job('new')]])
        await on.refuses(
          () => client.jobs.sync(source as string, jobs, { prune: true }),
          invalid('source'),
        )
    expect(await names()).toEqual(['of-git', 'of-nobody', 'of-other'])
  })

  it('a sync with an unknown or non-boolean option is refused and removes nothing', async () => {
    for (const [options, field] of [
      [{ prune: true, dryrun: true }, 'dryrun'],
      [{ prune: 'no' }, 'prune'],
      [{ prune: true, dryRun: 'yes' }, 'dryRun'],
      [null, 'options'],
    ] as const)
      await on.refuses(
        () => client.jobs.sync('git', [], options as unknown as SyncOptions),
        invalid(field),
      )
    await on.refuses(
      () => client.jobs.sync('git', undefined as unknown as JobOptions[], { prune: true }),
      invalid('jobs'),
    )
    expect(await names()).toEqual(['of-git', 'of-nobody', 'of-other'])
  })

  it('a sync of an empty list removes only the jobs of its source, and the audit log says so', async () => {
    const { removed } = await client.jobs.sync('git', [], { prune: true })
    expect(removed).toEqual(['of-git'])
    expect(await names()).toEqual(['of-nobody', 'of-other'])
    const [first, second] = await client.audit.list({ limit: 2 })
    expect([second, first].map((entry) => `${entry?.action} ${entry?.target.name}`)).toEqual([
      'job.sync git',
      'job.delete of-git',
    ])
  })
})

describe('a job', () => {
  it('a job name that PostgreSQL text cannot hold is not looked up', async () => {
    const { jobs } = client
    for (const name of ['a\0b', '', 5 as unknown as string, null as unknown as string])
      for (const ask of [
        () => jobs.get(name),
        () => jobs.pause(name),
        () => jobs.resume(name),
        () => jobs.delete(name),
        () => jobs.trigger(name),
        () => jobs.slots(name),
        () => jobs.explain(name),
        () => client.verify({ job: name }),
      ])
        await on.refuses(ask, invalid('job'))
    await on.refuses(() => jobs.upsert(job('a\0b')), invalid('name'))
    await on.refuses(() => jobs.upsertMany([job('a'), job('a\0b')]), invalid('[1].name'))
  })

  it('a note on a pause must be a string of at most 1,024 characters', async () => {
    await client.jobs.upsert(job('noted'))
    for (const note of ['a\0b', 'x'.repeat(1_025), '', {}, 5])
      await on.refuses(() => client.jobs.pause('noted', note as string), invalid('note'))
    expect((await client.jobs.get('noted'))?.pausedAt).toBeNull()
    expect(await client.jobs.pause('noted', 'x'.repeat(1_024))).toBe(true)
  })

  it('skipping with an invalid name is refused', async () => {
    await client.jobs.upsert(job('skipped'))
    const slot = (await client.jobs.get('skipped'))?.nextAt as Date
    for (const by of ['a\0b', 'x'.repeat(257), {}])
      await on.refuses(() => client.jobs.skip('skipped', slot, by as string), invalid('by'))
  })

  it('a backfill needs a range, and a mistyped option is refused', async () => {
    await client.jobs.upsert(job('backfilled'))
    for (const [options, field] of [
      [undefined, 'options'],
      [{}, 'from'],
      [{ from: 0, to: 1, pace: 5 }, 'pace'],
    ] as const)
      await on.refuses(
        () => client.jobs.backfill('backfilled', options as unknown as BackfillOptions),
        invalid(field),
      )
  })
})

it('a list of jobs with an impossible state, source or name is refused', async () => {
  for (const [filter, field] of [
    [{ state: 'zzz' }, 'state'],
    [{ state: null }, 'state'],
    [{ source: 'a\0b' }, 'source'],
    [{ source: null }, 'source'],
    [{ after: 'a\0b' }, 'after'],
    [{ sorce: 'git' }, 'sorce'],
    [null, 'options'],
  ] as const)
    await on.refuses(() => client.jobs.list(filter as object), invalid(field))
})

it('a tenant id is an integer from 1 on', () => {
  for (const id of ['acme', '1', 0, -1, 1.5, Number.NaN, 2 ** 31, undefined, null])
    expect(() => client.tenant(id as number)).toThrow(expect.objectContaining(invalid('tenant')))
  expect(client.tenant(2_147_483_647).tenantId).toBe(2_147_483_647)
})
