/** Runs of one job that would overlap: every policy, crashes of the one that goes on, and no lost wake-up. */
import type { Overlap } from '@punctual/core/job'
import type { ClaimedRun } from '@punctual/core/ports'
import { dead, retry, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let t: TestStore
let session: string
let jobs = 0
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
beforeEach(async () => {
  await t.sql.query(
    'truncate punctual.jobs, punctual.cursors, punctual.queue, punctual.leases, punctual.parked, punctual.job_holds',
  )
  session = await t.session(600_000)
})

const jobOf = (overlap: Overlap) =>
  t.job({ name: `${overlap} ${jobs++}`, every: '1h', startAt: '2100-01-01', overlap })
const run = (jobId: string) => t.store.schedules.steering.trigger(jobId, null, 1)

/** Claims as a worker does: what was parked is decided about. */
async function claim(limit = 10, store = t.store, by = session): Promise<readonly ClaimedRun[]> {
  const { runs, parked } = await t.claim(by, limit, store)
  if (parked.length > 0) await store.work.resolveParked(parked)
  return runs
}

const settle = (run: ClaimedRun) => t.store.work.settle(session, [succeeded(run)])
async function outcome(id: string): Promise<string | null> {
  const { rows } = await t.sql.query(
    'select state, reason from punctual.outcomes where run_id = $1',
    [id],
  )
  const names = ['', 'succeeded', 'dead', 'cancelled', 'skipped', 'unknown']
  return rows[0] ? `${names[rows[0].state]} ${rows[0].reason ?? ''}`.trim() : null
}

/** A job of which one run goes on. */
async function going(overlap: Overlap): Promise<{ jobId: string; first: ClaimedRun }> {
  const jobId = await jobOf(overlap)
  await run(jobId)
  const [first] = await claim()
  if (!first) throw new Error('it did not start')
  return { jobId, first }
}

describe('while a run of the job goes on, another one', () => {
  it('starts beside it under allow', async () => {
    const { jobId } = await going('allow')
    const second = await run(jobId)
    expect((await claim()).map(({ id }) => id)).toEqual([second])
    expect(await t.count('job_holds')).toBe(0)
  })

  it('is skipped under skip, with the reason, and the next one after the end is not', async () => {
    const { jobId, first } = await going('skip')
    const second = await run(jobId)
    expect(await claim()).toEqual([])
    expect(await outcome(second)).toBe('skipped overlap')
    expect(await t.places(second)).toEqual(['outcomes'])
    await settle(first)
    const third = await run(jobId)
    expect((await claim()).map(({ id }) => id)).toEqual([third])
  })

  it('waits under queue-one, and those behind it are skipped', async () => {
    const { jobId, first } = await going('queue-one')
    const [second, third, fourth] = [await run(jobId), await run(jobId), await run(jobId)]
    expect(await claim()).toEqual([])
    expect(await t.places(second)).toEqual(['parked'])
    expect([await outcome(third), await outcome(fourth)]).toEqual([
      ...['skipped overlap', 'skipped overlap'],
    ])
    await settle(first)
    expect((await claim()).map(({ id }) => id)).toEqual([second])
  })

  it('waits under queue-one alone, in whatever order two of them are parked', async () => {
    const { jobId } = await going('queue-one')
    const [second, third] = [await run(jobId), await run(jobId)]
    // The later one is parked and decided about first, as a claim of another worker may do.
    const { rows } = await t.sql.query(
      'delete from punctual.queue where run_id = $1 returning run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id',
      [second],
    )
    await claim()
    expect(await t.places(third)).toEqual(['parked'])
    const q = rows[0]
    await t.sql.query(
      'insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id) values ($1, $2, $3, $4, $5, $6, $7, $8)',
      [q.run_id, q.pos, q.tenant_id, q.lane, q.attempt, q.crashes, q.traits, q.job_id],
    )
    await t.another().work.lanes(['test'], [])
    const other = t.another()
    await claim(10, other, await t.session(600_000, other))
    expect(await t.count('parked')).toBe(1)
    expect(await t.places(second)).toEqual(['parked'])
    expect(await outcome(third)).toBe('skipped overlap')
  })

  it('waits under queue-all, and all of them run in their order', async () => {
    const { jobId, first } = await going('queue-all')
    const waiting = [await run(jobId), await run(jobId), await run(jobId)]
    const order: string[] = []
    let current: ClaimedRun | undefined = first
    for (let i = 0; i < 3 && current; i++) {
      expect(await claim()).toEqual([])
      await settle(current)
      const [next]: readonly ClaimedRun[] = await claim()
      if (next) order.push(next.id)
      current = next
    }
    expect(order).toEqual(waiting)
  })

  it('asks it to end under cancel-previous, and starts when it has', async () => {
    const { jobId, first } = await going('cancel-previous')
    const second = await run(jobId)
    expect(await claim()).toEqual([])
    expect(await t.store.work.cancelRequests([first])).toEqual(
      new Map([[first.fence, 'superseded']]),
    )
    expect(await t.places(first.id)).toEqual(['leases'])
    const cancelled = {
      kind: 'cancelled',
      run: first,
      startedAgoMs: 1,
      failure: null,
      reason: 'superseded',
    } as const
    expect(await t.store.work.settle(session, [cancelled])).toEqual([])
    expect(await outcome(first.id)).toBe('cancelled superseded')
    expect((await claim()).map(({ id }) => id)).toEqual([second])
  })

  it('under cancel-previous takes the place of those that wait for the same', async () => {
    const { jobId, first } = await going('cancel-previous')
    const second = await run(jobId)
    await claim()
    const third = await run(jobId)
    await claim()
    expect(await outcome(second)).toBe('cancelled superseded')
    await settle(first)
    expect((await claim()).map(({ id }) => id)).toEqual([third])
  })

  it('fences it at once under terminate-previous: its outcome is refused, whatever it is', async () => {
    const { jobId, first } = await going('terminate-previous')
    const second = await run(jobId)
    const started = [...(await claim()), ...(await claim())]
    expect(started.map(({ id }) => id)).toEqual([second])
    expect(await outcome(first.id)).toBe('cancelled superseded')
    const asked = { kind: 'cancelled', run: first, startedAgoMs: 1, failure: null } as const
    for (const ending of [
      ...[succeeded(first), dead(first), retry(first, 0)],
      { ...asked, reason: 'superseded' },
    ])
      expect(await t.store.work.settle(session, [ending]), ending.kind).toEqual([first.id])
    expect(await outcome(first.id)).toBe('cancelled superseded')
    expect((await t.store.runs.find(first.id))?.attempts.at(-1)?.outcome).toBe('terminated')
  })

  it('ends it under both where it waits for another attempt', async () => {
    for (const policy of ['cancel-previous', 'terminate-previous'] as const) {
      const { jobId, first } = await going(policy)
      await t.store.work.settle(session, [retry(first, 3_600_000)])
      const second = await run(jobId)
      const started = [...(await claim()), ...(await claim())]
      expect(started.map(({ id }) => id)).toEqual([second])
      expect(await outcome(first.id)).toBe('cancelled superseded')
    }
  })
})

describe('the run that goes on', () => {
  it('still holds its job while it waits for another attempt', async () => {
    const { jobId, first } = await going('skip')
    await t.store.work.settle(session, [retry(first, 3_600_000)])
    const second = await run(jobId)
    await claim()
    expect(await outcome(second)).toBe('skipped overlap')
  })

  it('frees its job when it is dead', async () => {
    const { jobId, first } = await going('queue-all')
    const second = await run(jobId)
    await claim()
    await t.store.work.settle(session, [dead(first)])
    expect((await claim()).map(({ id }) => id)).toEqual([second])
  })

  it('comes back to its hold when its worker crashed, and the job is not stuck', async () => {
    const { jobId, first } = await going('queue-all')
    const second = await run(jobId)
    await claim()
    await t.expire(session)
    await t.reap([session])
    session = await t.session(600_000)
    const [again] = await claim()
    expect(again?.id).toBe(first.id)
    await settle(again as ClaimedRun)
    expect((await claim()).map(({ id }) => id)).toEqual([second])
  })

  it.each(['skip', 'queue-one', 'queue-all', 'cancel-previous', 'terminate-previous'] as const)(
    'leaves the job free under %s when it is quarantined with its worker',
    async (policy) => {
      const { jobId, first } = await going(policy)
      await t.expire(session)
      await t.reap([session], 1)
      expect(await outcome(first.id)).toBe('dead quarantined')
      expect(await t.count('job_holds')).toBe(0)
      session = await t.session(600_000)
      const second = await run(jobId)
      expect((await claim()).map(({ id }) => id)).toEqual([second])
    },
  )

  it('whose worker died before it decided about what it parked leaves nothing waiting for ever', async () => {
    const { jobId, first } = await going('queue-all')
    const second = await run(jobId)
    await t.claim(session, 10)
    await t.expire(session)
    await t.reap([session], 1)
    expect(await outcome(first.id)).toBe('dead quarantined')
    expect(await t.places(second)).toEqual(['parked'])
    expect(await t.store.upkeep.resolveParked(0)).toBe(1)
    session = await t.session(600_000)
    expect((await claim()).map(({ id }) => id)).toEqual([second])
  })
})

it('loses no wake-up when the holder ends while its successor is parked, round after round', async () => {
  const [a, b] = [t.another(), t.another()]
  const [ofA, ofB] = [await t.session(600_000, a), await t.session(600_000, b)]
  for (let round = 0; round < 150; round++) {
    const { jobId, first } = await going('queue-all')
    const second = await run(jobId)
    const [started] = await Promise.all([claim(10, b, ofB), a.work.settle(ofA, [succeeded(first)])])
    const all = started.length > 0 ? started : await claim(10, b, ofB)
    expect(all.map(({ id }) => id)).toEqual([second])
    await b.work.settle(
      ofB,
      all.map((it) => succeeded(it)),
    )
    expect(await t.count('parked')).toBe(0)
  }
})

it('lets one run of a job go on at a time, whoever claims and whatever crashes', async () => {
  const ids = await Promise.all(
    (['skip', 'queue-one', 'queue-all'] as const).map((policy) => jobOf(policy)),
  )
  const stores = [t.another(), t.another(), t.another()]
  const sessions = await Promise.all(stores.map((store) => t.session(600_000, store)))
  const held: ClaimedRun[][] = [[], [], []]
  for (let round = 0; round < 120; round++) {
    for (const id of ids) await run(id)
    await Promise.all(
      stores.map(async (store, i) => {
        held[i]?.push(...(await claim(2, store, sessions[i])))
      }),
    )
    const { rows } = await t.sql.query(
      'select job_id from punctual.leases where job_id is not null group by job_id having count(*) > 1',
    )
    expect(rows).toEqual([])
    const n = round % 3
    if (round % 11 === 10) {
      await t.expire(sessions[n] as string)
      await t.reap([sessions[n] as string], 2)
      held[n] = []
      sessions[n] = await t.session(600_000, stores[n])
    } else {
      const mine = (held[n] as ClaimedRun[]).splice(0)
      await stores[n]?.work.settle(
        sessions[n] as string,
        mine.map((it) => succeeded(it)),
      )
    }
  }
  for (let rest = 0; rest < 500; rest++) {
    for (const [i, store] of stores.entries()) {
      const mine = [
        ...(held[i] as ClaimedRun[]).splice(0),
        ...(await claim(10, store, sessions[i])),
      ]
      await store.work.settle(
        sessions[i] as string,
        mine.map((it) => succeeded(it)),
      )
    }
    if ((await t.count('queue')) + (await t.count('parked')) === 0) break
    await t.store.upkeep.resolveParked(0)
  }
  expect([await t.count('queue'), await t.count('parked'), await t.count('leases')]).toEqual([
    0, 0, 0,
  ])
  expect(await t.count('job_holds')).toBe(0)
})

it('an attempt that a successor terminates has started: with an earlier one the run is a possible duplicate', async () => {
  const jobId = await jobOf('terminate-previous')
  const id = await run(jobId)
  const [first] = await claim()
  await t.store.work.settle(session, [retry(first as ClaimedRun)])
  await claim()
  await run(jobId)
  await claim()
  expect(await outcome(id)).toBe('cancelled superseded')
  const found = await t.store.runs.find(id)
  expect(found).toMatchObject({ possibleDuplicate: true, attempts: [{}, {}] })
})
