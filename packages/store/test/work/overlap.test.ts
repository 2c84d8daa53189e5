/** Overlapping runs of one job: every policy, crashes of the running one, and no lost release. */
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

/** Claims as a worker does: also resolves the runs that the claim parked. */
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

/** A job with one running run. */
async function startJob(overlap: Overlap): Promise<{ jobId: string; first: ClaimedRun }> {
  const jobId = await jobOf(overlap)
  await run(jobId)
  const [first] = await claim()
  if (!first) throw new Error('the run did not start')
  return { jobId, first }
}

describe('a second run of a job that is running', () => {
  it('overlap allow starts the second run', async () => {
    const { jobId } = await startJob('allow')
    const second = await run(jobId)
    expect((await claim()).map(({ id }) => id)).toEqual([second])
    expect(await t.count('job_holds')).toBe(0)
  })

  it('overlap skip skips the second run with the reason, and starts the next after the end', async () => {
    const { jobId, first } = await startJob('skip')
    const second = await run(jobId)
    expect(await claim()).toEqual([])
    expect(await outcome(second)).toBe('skipped overlap')
    expect(await t.places(second)).toEqual(['outcomes'])
    await settle(first)
    const third = await run(jobId)
    expect((await claim()).map(({ id }) => id)).toEqual([third])
  })

  it('overlap queue-one parks the second run and skips later ones', async () => {
    const { jobId, first } = await startJob('queue-one')
    const [second, third, fourth] = [await run(jobId), await run(jobId), await run(jobId)]
    expect(await claim()).toEqual([])
    expect(await t.places(second)).toEqual(['parked'])
    expect([await outcome(third), await outcome(fourth)]).toEqual([
      ...['skipped overlap', 'skipped overlap'],
    ])
    await settle(first)
    expect((await claim()).map(({ id }) => id)).toEqual([second])
  })

  it('overlap queue-one keeps the earlier of two runs, in any order of parking', async () => {
    const { jobId } = await startJob('queue-one')
    const [second, third] = [await run(jobId), await run(jobId)]
    // The later run is parked and resolved first, as the claim of another worker may do.
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

  it('overlap queue-all parks further runs and runs them in order', async () => {
    const { jobId, first } = await startJob('queue-all')
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

  it('overlap cancel-previous cancels the running one and starts the next when it has ended', async () => {
    const { jobId, first } = await startJob('cancel-previous')
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

  it('overlap cancel-previous also cancels runs that already wait for the running one', async () => {
    const { jobId, first } = await startJob('cancel-previous')
    const second = await run(jobId)
    await claim()
    const third = await run(jobId)
    await claim()
    expect(await outcome(second)).toBe('cancelled superseded')
    await settle(first)
    expect((await claim()).map(({ id }) => id)).toEqual([third])
  })

  it('overlap terminate-previous fences the running one at once and refuses all its outcomes', async () => {
    const { jobId, first } = await startJob('terminate-previous')
    const second = await run(jobId)
    const started = [...(await claim()), ...(await claim())]
    expect(started.map(({ id }) => id)).toEqual([second])
    expect(await outcome(first.id)).toBe('cancelled superseded')
    const cancelled = { kind: 'cancelled', run: first, startedAgoMs: 1, failure: null } as const
    for (const ending of [
      ...[succeeded(first), dead(first), retry(first, 0)],
      { ...cancelled, reason: 'superseded' },
    ])
      expect(await t.store.work.settle(session, [ending]), ending.kind).toEqual([first.id])
    expect(await outcome(first.id)).toBe('cancelled superseded')
    expect((await t.store.runs.find(first.id))?.attempts.at(-1)?.outcome).toBe('terminated')
  })

  it('overlap cancel-previous and terminate-previous end a run that waits for a retry', async () => {
    for (const policy of ['cancel-previous', 'terminate-previous'] as const) {
      const { jobId, first } = await startJob(policy)
      await t.store.work.settle(session, [retry(first, 3_600_000)])
      const second = await run(jobId)
      const started = [...(await claim()), ...(await claim())]
      expect(started.map(({ id }) => id)).toEqual([second])
      expect(await outcome(first.id)).toBe('cancelled superseded')
    }
  })
})

describe('the run that holds its job', () => {
  it('a run holds its job while it waits for a retry', async () => {
    const { jobId, first } = await startJob('skip')
    await t.store.work.settle(session, [retry(first, 3_600_000)])
    const second = await run(jobId)
    await claim()
    expect(await outcome(second)).toBe('skipped overlap')
  })

  it('a dead run frees its job', async () => {
    const { jobId, first } = await startJob('queue-all')
    const second = await run(jobId)
    await claim()
    await t.store.work.settle(session, [dead(first)])
    expect((await claim()).map(({ id }) => id)).toEqual([second])
  })

  it('a run whose worker crashed keeps its hold, and the next run starts after it', async () => {
    const { jobId, first } = await startJob('queue-all')
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
    'a run that is quarantined frees its job with overlap %s',
    async (policy) => {
      const { jobId, first } = await startJob(policy)
      await t.expire(session)
      await t.reap([session], 1)
      expect(await outcome(first.id)).toBe('dead quarantined')
      expect(await t.count('job_holds')).toBe(0)
      session = await t.session(600_000)
      const second = await run(jobId)
      expect((await claim()).map(({ id }) => id)).toEqual([second])
    },
  )

  it('a run parked by a worker that died before resolving it is resolved by the upkeep', async () => {
    const { jobId, first } = await startJob('queue-all')
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

it('a run parked while the holder of its job ends is released every time', async () => {
  const [a, b] = [t.another(), t.another()]
  const [ofA, ofB] = [await t.session(600_000, a), await t.session(600_000, b)]
  for (let round = 0; round < 150; round++) {
    const { jobId, first } = await startJob('queue-all')
    const second = await run(jobId)
    const [started] = await Promise.all([claim(10, b, ofB), a.work.settle(ofA, [succeeded(first)])])
    const all = started.length > 0 ? started : await claim(10, b, ofB)
    expect(all.map(({ id }) => id)).toEqual([second])
    await b.work.settle(
      ofB,
      all.map((run) => succeeded(run)),
    )
    expect(await t.count('parked')).toBe(0)
  }
})

it('only one run of a job is running at a time, with concurrent claims and crashes', async () => {
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
        mine.map((run) => succeeded(run)),
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
        mine.map((run) => succeeded(run)),
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

it('a retried run terminated by its successor counts as a possible duplicate', async () => {
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
