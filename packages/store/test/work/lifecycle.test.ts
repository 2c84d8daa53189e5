/** Walks the lifecycle table of core/src/run/transitions.ts against the real database. */
import { compileJob, type Overlap, planJob } from '@punctual/core/job'
import type { ClaimedRun } from '@punctual/core/ports'
import { type Place, transitions } from '@punctual/core/run'
import { dead, postgresMajors, retry, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { awaitingRows } from '../kit/awaiting-rows.ts'

const FAR = 3_600_000
type Key = `${string}: ${Place} -> ${Place}`

describe.each(postgresMajors)('the lifecycle on PostgreSQL %s', (major) => {
  let t: TestStore
  beforeAll(async () => {
    t = await TestStore.open({ major })
  })
  afterAll(() => t.close())

  const inLater = () => t.submit({ delayMs: FAR })
  const inQueue = () => t.submit()
  const reap = async (session: string) => {
    await t.expire(session)
    await t.reap([session])
  }

  /** An at-most-once run that started, and whose worker died. */
  const lost = async () => {
    const session = await t.session()
    const run = await t.running(session, { delivery: 'at-most-once' })
    await t.store.work.markStarted([run])
    await reap(session)
    return run.id
  }

  let jobs = 0
  const aJob = async (overlap: Overlap, cron = '0 0 1 1 *') => {
    const options = { name: `job ${++jobs}`, handler: 'test', cron, overlap }
    const compiled = compileJob(options, { timezone: 'UTC', jitterMs: 0 })
    const [made] = await t.store.schedules.jobs.upsert([compiled], 1)
    return made?.id as string
  }
  const trigger = (job: string) => t.store.schedules.steering.trigger(job, null, 1)
  /** The run ids of a job in `slots` or `backfills`, in the order of their slots. */
  const runsOf = async (job: string, table: 'slots' | 'backfills') => {
    const ordered = `select run_id from punctual.${table} where job_id = $1 order by slot_at`
    const { rows } = await t.sql.query(ordered, [job])
    return rows.map((row) => row.run_id as string)
  }

  /** Plans a job that fires every second; returns the runs of its future slots. */
  const plan = async (job: string) => {
    const { plan: store, timings } = t.store.schedules
    const { nowMs } = await store.announcePlanner('1', 8_000)
    const untilMs = nowMs + 20_000
    const shards = Array.from({ length: 256 }, (_, shard) => shard)
    const due = (await store.dueJobs({ shards, fromMs: 0, untilMs, limit: 1_000 })).filter(
      ({ id }) => id === job,
    )
    const rules = await store.rules(due.map(({ timing }) => timing))
    const context = { window: { nowMs, untilMs }, timings, calendars: new Map(), skips: undefined }
    const planned = due.map((dueJob) => planJob(dueJob, rules.get(dueJob.timing) as never, context))
    expect(await store.plan(planned, () => Promise.reject(new Error('refused')))).toBe(1)
    return runsOf(job, 'slots')
  }

  /** One run of a job is running, and another one that became due is parked. */
  const overlapping = async (overlap: Overlap) => {
    const [session, job] = [await t.session(), await aJob(overlap)]
    const first = await trigger(job)
    const holder = (await t.claim(session, 100)).runs.find(({ id }) => id === first) as ClaimedRun
    const another = async () => {
      const id = await trigger(job)
      expect((await t.claim(session, 100)).parked).toEqual([id])
      return id
    }
    return { session, holder, another, waiter: await another() }
  }

  /** Rows of an event that leaves a run in its place, for each of the three places. */
  function steered<Event extends string>(
    event: Event,
    change: (id: string) => Promise<ReadonlySet<string>>,
  ) {
    const after = (make: () => Promise<string>) => async () => {
      const id = await make()
      expect(await change(id)).toEqual(new Set([id]))
      return id
    }
    const parked = async () => (await overlapping('queue-all')).waiter
    return Object.fromEntries([
      [`${event}: later -> later`, after(inLater)],
      [`${event}: queue -> queue`, after(inQueue)],
      [`${event}: parked -> parked`, after(parked)],
    ]) as Record<`${Event}: ${'later' | 'queue' | 'parked'} -> ${string}`, () => Promise<string>>
  }

  /** Rows of replacing a waiting run with a key, for each place before and after. */
  const replaced = () => {
    let keys = 0
    const concurrency = { key: 'gate of replaced runs' }
    const before = {
      later: (key: string) => t.submit({ key, delayMs: FAR }),
      queue: (key: string) => t.submit({ key }),
      parked: async (key: string) => {
        await t.submit({ concurrency })
        return t.submit({ key, concurrency })
      },
    }
    const after = { queue: {}, later: { delayMs: FAR } }
    const rows = Object.entries(before).flatMap(([from, make]) =>
      Object.entries(after).map(([to, due]) => {
        const change = async () => {
          const key = `replaced ${++keys}`
          const id = await make(key)
          expect(await t.places(id)).toEqual([from])
          expect(await t.submit({ key, onConflict: 'replace', ...due })).toBe(id)
          return id
        }
        return [`replace: ${from} -> ${to}`, change] as const
      }),
    )
    return Object.fromEntries(rows) as Record<Key, () => Promise<string>>
  }

  /** Makes each row of the table happen; returns the run. */
  const make: Record<Key, () => Promise<string>> = {
    'submit: nowhere -> queue': inQueue,
    'defer: nowhere -> later': inLater,
    'wait: nowhere -> parked': async () => {
      const concurrency = { key: 'waits' }
      await t.submit({ concurrency })
      return t.submit({ concurrency })
    },
    'plan: nowhere -> queue': async () => {
      return (await plan(await aJob('allow', '* * * * * *'))).at(-1) as string
    },
    'trigger: nowhere -> queue': async () => trigger(await aJob('allow')),
    'backfill: nowhere -> queue': async () => {
      const job = await aJob('allow')
      await t.store.schedules.steering.backfill(job, [0], new Set(), 0, 1)
      return (await runsOf(job, 'backfills'))[0] as string
    },
    'backfill: nowhere -> later': async () => {
      const job = await aJob('allow')
      await t.store.schedules.steering.backfill(job, [0, 1_000], new Set(), FAR, 1)
      return (await runsOf(job, 'backfills'))[1] as string
    },
    'replay: nowhere -> queue': async () => {
      const session = await t.session()
      const run = await t.running(session)
      await t.store.work.settle(session, [dead(run)])
      const how = { note: null, by: null, fromCheckpoint: false }
      const requests = [{ id: run.id, payload: null }]
      const [answer] = await t.store.deadLetterSteering.replay(requests, how, 1, null)
      expect(await t.places(run.id)).toEqual(['outcomes'])
      return answer?.result === 'replayed' ? answer.id : ''
    },
    'promote: later -> queue': async () => {
      const id = await inLater()
      await t.store.upkeep.promote(2 * FAR, 1_000)
      return id
    },
    'claim: queue -> leases': async () => (await t.running(await t.session())).id,
    'park: queue -> parked': async () => (await overlapping('queue-all')).waiter,
    'release: parked -> queue': async () => {
      const { session, holder, waiter } = await overlapping('queue-all')
      await t.store.work.settle(session, [succeeded(holder)])
      return waiter
    },
    'delay: queue -> queue': async () => {
      const rate = { key: 'holds', limit: 1, per: 'hour' } as const
      await t.running(await t.session(), { rate })
      const id = await t.submit({ rate })
      const { runs } = await t.claim(await t.session(), 100)
      expect(runs.map((run) => run.id)).not.toContain(id)
      return id
    },
    'skip: parked -> outcomes': async () => {
      const { waiter } = await overlapping('skip')
      await t.store.work.resolveParked([waiter])
      return waiter
    },
    'expire: leases -> outcomes': async () => {
      const session = await t.session()
      const run = await t.running(session, { expiresAt: 0 })
      expect(run.expiresInMs).toBeLessThan(0)
      const skipped = { kind: 'skipped', run, startedAgoMs: null, reason: 'expired' } as const
      await t.store.work.settle(session, [skipped])
      expect(await t.store.work.settle(session, [skipped]), 'a second time').toEqual([])
      return run.id
    },
    'supersede: leases -> outcomes': async () => {
      const { holder, waiter } = await overlapping('terminate-previous')
      await t.store.work.resolveParked([waiter])
      return holder.id
    },
    'supersede: parked -> outcomes': async () => {
      const { waiter, another } = await overlapping('cancel-previous')
      await t.store.work.resolveParked([await another()])
      return waiter
    },
    'supersede: queue -> outcomes': async () => {
      const { session, holder, waiter } = await overlapping('cancel-previous')
      await t.store.work.settle(session, [retry(holder, 1_000)])
      await t.store.work.resolveParked([waiter])
      return holder.id
    },
    'supersede: later -> outcomes': async () => {
      const { session, holder, waiter } = await overlapping('cancel-previous')
      await t.store.work.settle(session, [retry(holder, FAR)])
      await t.store.work.resolveParked([waiter])
      return holder.id
    },
    'return: leases -> queue': async () => {
      const run = await t.running(await t.session())
      await t.store.work.giveBack([run])
      return run.id
    },
    'succeed: leases -> outcomes': async () => {
      const session = await t.session()
      const run = await t.running(session)
      await t.store.work.settle(session, [succeeded(run)])
      return run.id
    },
    'retry: leases -> queue': async () => {
      const session = await t.session()
      const run = await t.running(session)
      await t.store.work.settle(session, [retry(run, 10)])
      return run.id
    },
    'postpone: leases -> later': async () => {
      const session = await t.session()
      const run = await t.running(session)
      await t.store.work.settle(session, [retry(run, FAR)])
      return run.id
    },
    'die: leases -> outcomes': async () => {
      const session = await t.session()
      const run = await t.running(session)
      await t.store.work.settle(session, [dead(run)])
      return run.id
    },
    'cancel: leases -> outcomes': async () => {
      const { session, holder: run, waiter } = await overlapping('cancel-previous')
      await t.store.work.resolveParked([waiter])
      const requests = await t.store.work.cancelRequests([run])
      const reason = requests.get(run.fence) as string
      const ended = { kind: 'cancelled', run, startedAgoMs: 1, failure: null, reason } as const
      await t.store.work.settle(session, [ended])
      return run.id
    },
    ...awaitingRows(() => t),
    'reap: leases -> queue': async () => {
      const session = await t.session()
      const run = await t.running(session)
      await reap(session)
      return run.id
    },
    'quarantine: leases -> outcomes': async () => {
      const session = await t.session()
      const run = await t.running(session)
      await t.expire(session)
      await t.reap([session], 1)
      return run.id
    },
    'lose: leases -> outcomes': lost,
    'abandon: leases -> outcomes': async () => {
      const session = await t.session()
      const run = await t.running(session)
      await t.store.steering.cancel([run.id], 'test')
      await reap(session)
      return run.id
    },
    'cancel: later -> outcomes': async () => {
      const id = await inLater()
      await t.store.steering.cancelWaiting([id], 'test')
      return id
    },
    'cancel: queue -> outcomes': async () => {
      const id = await inQueue()
      await t.store.steering.cancelWaiting([id], 'test')
      return id
    },
    'cancel: parked -> outcomes': async () => {
      const { waiter } = await overlapping('queue-all')
      await t.store.steering.cancelWaiting([waiter], 'test')
      return waiter
    },
    'withdraw: queue -> outcomes': async () => {
      const job = await aJob('allow', '* * * * * *')
      const last = (await plan(job)).at(-1) as string
      await t.store.schedules.steering.pause(job, null, 1)
      return last
    },
    'reschedule: later -> queue': async () => {
      const id = await inLater()
      await t.store.steering.reschedule([id], Date.now())
      return id
    },
    'reschedule: queue -> queue': async () => {
      const id = await inQueue()
      await t.store.steering.reschedule([id], Date.now() + 1_000)
      return id
    },
    'reschedule: later -> later': async () => {
      const id = await inLater()
      await t.store.steering.reschedule([id], Date.now() + 2 * FAR)
      return id
    },
    ...replaced(),
    ...steered('reprioritise', (id) => t.store.steering.reprioritise([id], 9)),
    ...steered('edit', (id) => t.store.steering.edit([id], '"other"')),
    'reschedule: queue -> later': async () => {
      const id = await inQueue()
      await t.store.steering.reschedule([id], Date.now() + FAR)
      return id
    },
    'resolve: outcomes -> outcomes': async () => {
      const id = await lost()
      await t.store.resolution.resolve(id, 'succeeded', { note: null, by: null }, 1, null)
      expect(await t.store.runs.find(id)).toMatchObject({ state: 'succeeded' })
      return id
    },
  }

  it('nothing has to be looked at while no run awaits its target', async () => {
    await t.sql.query('update punctual.leases set wake_at = null')
    expect(await t.store.awaiting.giveUp(10)).toEqual({ givenUp: 0, more: false, nextInMs: null })
  })

  const rows = transitions.flatMap((row) =>
    row.from.map((from) => [`${row.event}: ${from} -> ${row.to}` as Key, row.to] as const),
  )

  it.each(rows)('event %s leaves the run in exactly that place', async (key, to) => {
    const id = await (make[key] as () => Promise<string>)()
    expect(await t.places(id)).toEqual([to])
  })

  it('the test covers every row of the lifecycle table and no other', () => {
    expect(Object.keys(make).toSorted()).toEqual(rows.map(([key]) => key).toSorted())
  })

  it('no operation changes a run that has ended', async () => {
    const session = await t.session()
    const run = await t.running(session)
    await t.store.work.settle(session, [succeeded(run)])
    expect(await t.store.steering.cancelWaiting([run.id], 'test')).toEqual(new Set())
    expect(await t.store.steering.reschedule([run.id], Date.now())).toEqual(new Set())
    expect(await t.store.steering.reprioritise([run.id], 9)).toEqual(new Set())
    expect(await t.store.steering.edit([run.id], '"other"')).toEqual(new Set())
    await t.store.work.giveBack([run])
    await t.store.work.settle(session, [retry(run), dead(run)].slice(0, 1))
    await reap(session)
    expect(await t.places(run.id)).toEqual(['outcomes'])
    expect(await t.store.runs.find(run.id)).toMatchObject({ state: 'succeeded' })
  })
})
