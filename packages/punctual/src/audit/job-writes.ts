/** Records changes of jobs and calendars. */
import type { Job } from '@punctual/core/job'
import { checkSync } from '../jobs/arguments.ts'
import type { Calendars } from '../jobs/calendars.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Recorded } from './control-writes.ts'
import type { WriteScope, WritesOf } from './recorded-methods.ts'

type Definition = Record<string, unknown>

const PRUNED_MAX = 100_000

/** The declared options of a job and whether it is paused, without its progress. */
function definitionOf(job: Job): Definition {
  const { name, handler, queue, priority, payload, rules, startAt, endAt, maxRuns } = job
  const { maxAttempts, timeoutMs, delivery, retry, heartbeatMs, concurrency, rate } = job
  const { labels, description, owner, source, version, pausedAt, pausedNote } = job
  return {
    ...{ name, handler, queue, priority, payload, rules, startAt, endAt, maxRuns },
    ...{ maxAttempts, timeoutMs, delivery, retry, heartbeatMs, concurrency, rate },
    ...{ labels, description, owner, source, version, pausedAt, pausedNote },
  }
}

const target = (job: Pick<Job, 'id' | 'name'>) => ({ kind: 'job', id: job.id, name: job.name })

/** Only the fields that differ. */
function difference(before: Definition, after: Definition): [Definition, Definition] {
  const names = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const pick = (definition: Definition) =>
    Object.fromEntries(names.map((name) => [name, definition[name]]))
  return [pick(before), pick(after)]
}

type ByName = ReadonlyMap<string, Job>

function changesOf(names: readonly string[], before: ByName, after: ByName): Recorded[] {
  return names.flatMap((name): Recorded[] => {
    const [was, is] = [before.get(name), after.get(name)]
    if (!was && !is) return []
    const entry = { target: target((is ?? was) as Job) }
    if (!was || was.id !== is?.id)
      return [
        ...(was ? [{ ...entry, action: 'job.delete', before: definitionOf(was) }] : []),
        ...(is ? [{ ...entry, action: 'job.create', after: definitionOf(is) }] : []),
      ]
    const [old, now] = difference(definitionOf(was), definitionOf(is))
    if (Object.keys(now).length === 0) return []
    return [{ ...entry, action: 'job.update', before: old, after: now }]
  })
}

/** Whether PostgreSQL can look it up; the write itself refuses an invalid name. */
const isText = (name: unknown): name is string =>
  typeof name === 'string' && name !== '' && !name.includes('\0')

const namesOf = (jobs: unknown) =>
  (Array.isArray(jobs) ? jobs : [jobs]).flatMap((job) => (isText(job?.name) ? [job.name] : []))

function byName({ store, tenantId }: WriteScope, names: readonly string[]): Promise<ByName> {
  return store.schedules.jobs.byName(names, tenantId as number)
}

async function find({ store, tenantId }: WriteScope, nameOrId: unknown): Promise<Job | null> {
  if (!isText(nameOrId)) return null
  return store.schedules.jobs.find(nameOrId, tenantId as number)
}

/** Locks the job until the transaction ends: concurrent changes wait and see this one. */
async function held(scope: WriteScope, nameOrId: unknown): Promise<Job | null> {
  if (!isText(nameOrId)) return null
  return scope.store.schedules.steering.held(nameOrId, scope.tenantId as number)
}

async function upserted<T>(scope: WriteScope, jobs: unknown, work: () => Promise<T>) {
  const names = namesOf(jobs)
  // Several jobs are not locked: two lists that share jobs in different orders would deadlock.
  if (names.length === 1) await held(scope, names[0])
  const before = await byName(scope, names)
  const result = await work()
  return { result, entries: changesOf(names, before, await byName(scope, names)) }
}

/** For methods whose result says whether they changed something. */
async function steered<T>(
  scope: WriteScope,
  nameOrId: unknown,
  work: () => Promise<T>,
  entryOf: (job: Job, result: T) => Promise<Omit<Recorded, 'target'> | null>,
) {
  const job = await held(scope, nameOrId)
  const result = await work()
  const entry = job ? await entryOf(job, result) : null
  return { result, entries: job && entry ? [{ target: target(job), ...entry }] : [] }
}

async function paused(
  scope: WriteScope,
  action: string,
  nameOrId: string,
  work: () => Promise<boolean>,
) {
  return steered(scope, nameOrId, work, async (job, changed) => {
    const after = changed ? await find(scope, job.id) : null
    if (!after) return null
    const states = ({ pausedAt, pausedNote }: Job) => ({ pausedAt, pausedNote })
    return { action, before: states(job), after: states(after), note: after.pausedNote }
  })
}

export const jobWrites: WritesOf<Jobs> = {
  upsert: { one: (scope, [job], work) => upserted(scope, job, work) },
  upsertMany: { one: (scope, [jobs], work) => upserted(scope, jobs, work) },
  sync: {
    one: async (scope, [source, jobs, syncOptions], work) => {
      const { options } = checkSync(source, jobs, syncOptions)
      if (options.dryRun) return { result: await work(), entries: [] }
      const declared = namesOf(jobs)
      const page = { source, after: '', limit: PRUNED_MAX }
      const listed = options.prune
        ? await scope.store.schedules.jobs.list(page, scope.tenantId as number)
        : []
      const names = [...new Set([...declared, ...listed.map(({ name }) => name)])]
      const before = await byName(scope, names)
      const result = await work()
      const entries = changesOf(names, before, await byName(scope, names))
      if (entries.length === 0) return { result, entries }
      const entry = { action: 'job.sync', target: { kind: 'source', id: null, name: source } }
      const { created, updated, removed } = result
      return { result, entries: [{ ...entry, after: { created, updated, removed } }, ...entries] }
    },
  },
  delete: {
    one: (scope, [job], work) =>
      steered(scope, job, work, async (was, deleted) =>
        deleted ? { action: 'job.delete', before: definitionOf(was) } : null,
      ),
  },
  pause: { one: (scope, [job], work) => paused(scope, 'job.pause', job, work) },
  resume: { one: (scope, [job], work) => paused(scope, 'job.resume', job, work) },
  trigger: {
    one: (scope, [job, options], work) =>
      steered(scope, job, work, async (_, { id }) => {
        const given = options?.payload !== undefined && { payload: options.payload }
        return { action: 'job.trigger', after: { runId: id, ...given } }
      }),
  },
  skip: {
    one: (scope, [job, slot, by], work) =>
      steered(scope, job, work, async () => ({
        ...{ action: 'job.skip', after: { slot, ...(by !== undefined && { by }) } },
      })),
  },
  backfill: {
    many: ([job, options]) => ({
      action: 'job.backfill',
      target: { kind: 'job', id: null, name: String(job) },
      request: options,
      summarise: (result) => result,
    }),
  },
}

async function calendar({ store, tenantId }: WriteScope, name: string) {
  const all = await store.schedules.calendars.list(tenantId as number)
  return all.find((entry) => entry.name === name)?.calendar ?? null
}

const calendarTarget = (name: string) => ({ kind: 'calendar', id: null, name })

export const calendarWrites: WritesOf<Calendars> = {
  set: {
    one: async (scope, [name, after], work) => {
      const before = await calendar(scope, name)
      const result = await work()
      const entry = { action: 'calendar.set', target: calendarTarget(name), before, after }
      return { result, entries: JSON.stringify(before) === JSON.stringify(after) ? [] : [entry] }
    },
  },
  delete: {
    one: async (scope, [name], work) => {
      const before = await calendar(scope, name)
      const result = await work()
      const entry = { action: 'calendar.delete', target: calendarTarget(name), before }
      return { result, entries: result ? [entry] : [] }
    },
  },
}
