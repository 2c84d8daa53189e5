/**
 * One call of every method of the library that changes or submits something. Each call prepares
 * what the method needs, and then returns the call.
 */
import { dead, type TestStore } from '@punctual/testkit'
import type { Punctual } from '../../src/index.ts'

const HOUR = 3_600_000

/** Prepares what a call needs, and returns the call. */
export type Prepare = (o: Belongings) => Promise<() => unknown>
export type Calls = Readonly<Record<string, Readonly<Record<string, Prepare>>>>

/** Makes what the calls are about: jobs, runs, groups, tenants, keys and workers. */
export class Belongings {
  readonly client: Punctual
  /** A client with a newer master key of secrets. */
  readonly rotating: Punctual
  readonly t: TestStore
  #made = 0

  constructor(client: Punctual, rotating: Punctual, t: TestStore) {
    this.client = client
    this.rotating = rotating
    this.t = t
  }

  name(kind: string): string {
    return `${kind}-${++this.#made}`
  }

  async job(): Promise<string> {
    const name = this.name('job')
    await this.client.jobs.upsert({ name, handler: 'test', cron: '0 0 1 1 *' })
    return name
  }

  async run(): Promise<string> {
    return (await this.client.submit('test', { n: 1 }, { delayMs: HOUR })).id
  }

  async deadLetter(): Promise<string> {
    const session = await this.t.session()
    const run = await this.t.running(session)
    await this.t.store.work.settle(session, [dead(run)])
    return run.id
  }

  /** An at-most-once run that started, and whose worker was lost. */
  async unknownRun(): Promise<string> {
    const session = await this.t.session()
    const run = await this.t.running(session, { delivery: 'at-most-once' })
    await this.t.store.work.markStarted([run])
    await this.t.expire(session)
    await this.t.reap([session])
    return run.id
  }

  async group(): Promise<string> {
    return (await this.client.groups.submit({ runs: [{ handler: 'test' }], open: true })).id
  }

  async tenant(): Promise<string> {
    return (await this.client.tenants.create({ name: this.name('tenant') })).name
  }

  async key(): Promise<string> {
    return (await this.client.apiKeys.create({ name: 'root', scopes: ['system'] })).id
  }

  async worker(): Promise<string> {
    await this.t.session()
    const { rows } = await this.t.sql.query(
      'select max(id)::text as id from punctual.sessions where id <> 0',
    )
    return rows[0].id
  }
}

/** The calls that the audit log records. */
export const changing: Calls = {
  jobs: {
    create: async (o) => () =>
      o.client.jobs.create({ name: o.name('job'), handler: 'test', cron: '0 0 1 1 *' }),
    createMany: async (o) => () =>
      o.client.jobs.createMany([{ name: o.name('job'), handler: 'test', cron: '0 0 1 1 *' }]),
    upsert: async (o) => () =>
      o.client.jobs.upsert({ name: o.name('job'), handler: 'test', cron: '0 0 1 1 *' }),
    upsertMany: async (o) => () =>
      o.client.jobs.upsertMany([{ name: o.name('job'), handler: 'test', cron: '0 0 1 1 *' }]),
    change: async (o) => {
      const job = await o.job()
      return () => o.client.jobs.change(job, { priority: 9 })
    },
    delete: async (o) => {
      const job = await o.job()
      return () => o.client.jobs.delete(job)
    },
    pause: async (o) => {
      const job = await o.job()
      return () => o.client.jobs.pause(job)
    },
    resume: async (o) => {
      const job = await o.job()
      await o.client.jobs.pause(job)
      return () => o.client.jobs.resume(job)
    },
    trigger: async (o) => {
      const job = await o.job()
      return () => o.client.jobs.trigger(job)
    },
    skip: async (o) => {
      const job = await o.job()
      const [next] = await o.client.jobs.preview(job, { count: 1 })
      return () => o.client.jobs.skip(job, next?.at as Date)
    },
    backfill: async (o) => {
      const name = o.name('job')
      const id = await o.t.job({ name, cron: '* * * * * *' })
      await o.t.age(id, 10_000)
      return () =>
        o.client.jobs.backfill(name, { from: new Date(Date.now() - HOUR), to: new Date() })
    },
    sync: async (o) => () =>
      o.client.jobs.sync('git', [{ name: o.name('job'), handler: 'test', cron: '0 0 1 1 *' }]),
  },
  calendars: {
    set: async (o) => () => o.client.jobs.calendars.set(o.name('c'), { exclude: ['2030-12-25'] }),
    delete: async (o) => {
      const name = o.name('calendar')
      await o.client.jobs.calendars.set(name, { exclude: ['2030-12-25'] })
      return () => o.client.jobs.calendars.delete(name)
    },
  },
  runs: {
    cancel: async (o) => {
      const id = await o.run()
      return () => o.client.runs.cancel(id)
    },
    reschedule: async (o) => {
      const id = await o.run()
      return () => o.client.runs.reschedule(id, new Date(Date.now() + 2 * HOUR))
    },
    promote: async (o) => {
      const id = await o.run()
      return () => o.client.runs.promote(id)
    },
    reprioritise: async (o) => {
      const id = await o.run()
      return () => o.client.runs.reprioritise(id, 9)
    },
    edit: async (o) => {
      const id = await o.run()
      return () => o.client.runs.edit(id, { payload: { n: 2 } })
    },
    resolve: async (o) => {
      const id = await o.unknownRun()
      return () => o.client.runs.resolve(id, 'succeeded')
    },
    cancelMany: async (o) => {
      await o.run()
      return () => o.client.runs.cancelMany({ handler: 'test' })
    },
    promoteMany: async (o) => {
      await o.run()
      return () => o.client.runs.promoteMany({ handler: 'test' })
    },
    rescheduleMany: async (o) => {
      await o.run()
      return () =>
        o.client.runs.rescheduleMany({ handler: 'test' }, new Date(Date.now() + 2 * HOUR))
    },
    reprioritiseMany: async (o) => {
      await o.run()
      return () => o.client.runs.reprioritiseMany({ handler: 'test' }, 9)
    },
  },
  queues: {
    pause: async (o) => () => o.client.queues.pause(o.name('queue')),
    resume: async (o) => {
      const queue = o.name('queue')
      await o.client.queues.pause(queue)
      return () => o.client.queues.resume(queue)
    },
    pauseAll: async (o) => {
      await o.client.queues.resumeAll()
      return () => o.client.queues.pauseAll()
    },
    resumeAll: async (o) => {
      await o.client.queues.pauseAll()
      return () => o.client.queues.resumeAll()
    },
  },
  limits: {
    set: async (o) => () => o.client.limits.set({ queue: o.name('queue'), concurrency: 3 }),
    remove: async (o) => {
      const queue = o.name('queue')
      await o.client.limits.set({ queue, concurrency: 3 })
      return () => o.client.limits.remove(queue)
    },
  },
  workers: {
    drain: async (o) => {
      const id = await o.worker()
      return () => o.client.workers.drain(id)
    },
    activate: async (o) => {
      const id = await o.worker()
      await o.client.workers.drain(id)
      return () => o.client.workers.activate(id)
    },
  },
  deadLetters: {
    replay: async (o) => {
      const id = await o.deadLetter()
      return () => o.client.deadLetters.replay(id)
    },
    replayEach: async (o) => {
      const id = await o.deadLetter()
      return () => o.client.deadLetters.replayEach([id])
    },
    replayMany: async (o) => {
      await o.deadLetter()
      return () => o.client.deadLetters.replayMany({ handler: 'test' })
    },
    discard: async (o) => {
      const id = await o.deadLetter()
      return () => o.client.deadLetters.discard(id, { reason: 'old' })
    },
    discardMany: async (o) => {
      await o.deadLetter()
      return () => o.client.deadLetters.discardMany({ handler: 'test' }, { reason: 'old' })
    },
  },
  groups: {
    close: async (o) => {
      const id = await o.group()
      return () => o.client.groups.close(id)
    },
    cancel: async (o) => {
      const id = await o.group()
      return () => o.client.groups.cancel(id)
    },
  },
  secrets: {
    set: async (o) => () => o.client.secrets.set(o.name('secret'), 'a long value'),
    delete: async (o) => {
      const name = o.name('secret')
      await o.client.secrets.set(name, 'a long value')
      return () => o.client.secrets.delete(name)
    },
    rotateKey: async (o) => {
      await o.client.secrets.set(o.name('secret'), 'a long value')
      return () => o.rotating.secrets.rotateKey()
    },
  },
  tenants: {
    create: async (o) => () => o.client.tenants.create({ name: o.name('tenant') }),
    update: async (o) => {
      const tenant = await o.tenant()
      return () => o.client.tenants.update(tenant, { quotas: { jobs: 9 } })
    },
    suspend: async (o) => {
      const tenant = await o.tenant()
      return () => o.client.tenants.suspend(tenant)
    },
    resume: async (o) => {
      const tenant = await o.tenant()
      await o.client.tenants.suspend(tenant)
      return () => o.client.tenants.resume(tenant)
    },
    erase: async (o) => {
      const tenant = await o.tenant()
      return () => o.client.tenants.erase(tenant, { confirm: tenant })
    },
  },
  apiKeys: {
    create: async (o) => () => o.client.apiKeys.create({ name: 'root', scopes: ['system'] }),
    rotate: async (o) => {
      const id = await o.key()
      return () => o.client.apiKeys.rotate(id)
    },
    revoke: async (o) => {
      const id = await o.key()
      return () => o.client.apiKeys.revoke(id)
    },
  },
}

/** Submissions, which the audit log leaves to the runs themselves. */
export const submitting: Calls = {
  groups: {
    submit: async (o) => () => o.group(),
    add: async (o) => {
      const id = await o.group()
      return () => o.client.groups.add(id, [{ handler: 'test' }])
    },
  },
}
