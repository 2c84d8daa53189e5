/** Records changes of jobs: which fields changed, and what they were. */
import type { Job } from '@punctual/core/job'
import type { Recorded, WriteScope } from '../audit/control-writes.ts'
import type { SyncResult } from './sync.ts'

type Definition = Record<string, unknown>

const PRUNED_MAX = 100_000

/** The declared options of a job and whether it is paused, without its progress. */
export function definitionOf(job: Job): Definition {
  const { name, handler, target, queue, priority, payload, rules, startAt, endAt, maxRuns } = job
  const { maxAttempts, timeoutMs, delivery, retry, heartbeatMs, concurrency, rate } = job
  const { labels, description, owner, source, version, pausedAt, pausedNote } = job
  return {
    ...{ name, handler, target, queue, priority, payload, rules, startAt, endAt, maxRuns },
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

function byName({ store, tenantId }: WriteScope, names: readonly string[]): Promise<ByName> {
  return store.schedules.jobs.byName(names, tenantId)
}

/** Records each of these jobs that the change creates or updates. */
export function recordUpsert<T>(
  scope: WriteScope,
  names: readonly string[],
  upsert: () => Promise<T>,
): Promise<T> {
  const { store, writes, tenantId } = scope
  return writes.record(tenantId, async () => {
    const [first] = names
    // Several jobs are not locked: two lists that share jobs in different orders would deadlock.
    if (first !== undefined && names.length === 1)
      await store.schedules.steering.held(first, tenantId)
    const before = await byName(scope, names)
    const result = await upsert()
    return { result, entries: changesOf(names, before, await byName(scope, names)) }
  })
}

/** Records a declared list that changed something, and each job that it changed. */
export function recordSync(
  scope: WriteScope,
  source: string,
  declared: readonly string[],
  { prune, sync }: { prune: boolean; sync: () => Promise<SyncResult> },
): Promise<SyncResult> {
  const { store, writes, tenantId } = scope
  return writes.record(tenantId, async () => {
    const page = { source, after: '', limit: PRUNED_MAX }
    const listed = prune ? await store.schedules.jobs.list(page, tenantId) : []
    const names = [...new Set([...declared, ...listed.map(({ name }) => name)])]
    const before = await byName(scope, names)
    const result = await sync()
    const entries = changesOf(names, before, await byName(scope, names))
    if (entries.length === 0) return { result, entries }
    const { created, updated, removed } = result
    const entry = {
      action: 'job.sync',
      target: { kind: 'source', id: null, name: source },
      after: { created, updated, removed },
    }
    return { result, entries: [entry, ...entries] }
  })
}

/**
 * Records a change of an existing job, unless the entry is null. Locks the job until the
 * transaction ends: concurrent changes wait and see this one.
 */
export function recordJob<T>(
  { store, writes, tenantId }: WriteScope,
  nameOrId: string,
  change: () => Promise<T>,
  entryOf: (result: T, job: Job) => Omit<Recorded, 'target'> | null,
): Promise<T> {
  return writes.record(tenantId, async () => {
    const job = await store.schedules.steering.held(nameOrId, tenantId)
    const result = await change()
    const entry = job ? entryOf(result, job) : null
    return { result, entries: job && entry ? [{ target: target(job), ...entry }] : [] }
  })
}

const pauseOf = ({ pausedAt, pausedNote }: Job) => ({ pausedAt, pausedNote })

/** Records the pause of a job, or its end, unless it was in that state before. */
export function recordPause(
  { store, writes, tenantId }: WriteScope,
  action: 'job.pause' | 'job.resume',
  nameOrId: string,
  change: () => Promise<boolean>,
): Promise<boolean> {
  return writes.record(tenantId, async () => {
    const { jobs, steering } = store.schedules
    const job = await steering.held(nameOrId, tenantId)
    const result = await change()
    const is = job && result ? await jobs.find(job.id, tenantId) : null
    if (!job || !is) return { result, entries: [] }
    const states = { before: pauseOf(job), after: pauseOf(is), note: is.pausedNote }
    return { result, entries: [{ action, target: target(job), ...states }] }
  })
}
