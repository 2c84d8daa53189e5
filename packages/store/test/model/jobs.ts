/**
 * Commands of planners and of job steering. The model has no slots: the ledger's invariants check
 * them.
 */
import { compileJob, type JobOptions } from '@punctual/core/job'
import { cancelled, type ModelRun } from '@punctual/testkit'
import fc from 'fast-check'
import { expect } from 'vitest'
import { planAll, plannerOf } from '../kit/planning-kit.ts'
import { resolves } from './working.ts'
import { change, command, type Leeway, type Model, OVERLAPS, type Real } from './world.ts'

const MAX_ATTEMPTS = 2

/**
 * One job of each kind: fixed rates, one that fires after its last run, and each overlap policy.
 */
export const JOBS: Readonly<Record<string, Partial<JobOptions>>> = {
  steady: { every: '7s' },
  careful: { every: '9s', overlap: 'queue-all' },
  hasty: { every: '11s', overlap: 'skip' },
  after: { everyAfterEnd: '5s' },
  single: { every: '10m', overlap: 'queue-one' },
  newest: { every: '10m', overlap: 'cancel-previous' },
  only: { every: '10m', overlap: 'terminate-previous' },
}
const name = fc.constantFrom(...Object.keys(JOBS))

export async function makeJobs(
  model: Model,
  { t }: Real,
  jobs: Readonly<Record<string, Partial<JobOptions>>>,
): Promise<void> {
  const compiled = Object.entries(jobs).map(([name, options]) => {
    const job = { name, handler: 'test', maxAttempts: MAX_ATTEMPTS, ...options }
    return compileJob(job, { timezone: 'UTC', jitterMs: 0 })
  })
  const made = await t.store.schedules.jobs.upsert(compiled, 1)
  for (const [i, { name }] of compiled.entries())
    model.jobs.set(name, { id: (made[i] as { id: string }).id, paused: false })
}

export const plannerIn = (model: Model, store: Real['rival']) =>
  plannerOf({ store, alone: true, nowMs: () => Date.now() + model.aheadMs })

/** Planning creates runs of jobs, and moves no run. */
export const plans = (model: Model): Leeway => ({
  makes: (run) =>
    [...model.jobs.values()].some(({ id }) => id === run.jobId) &&
    run.place === 'queue' &&
    run.attempt === 0,
})

/** No job was set aside, and every fixed-rate job is planned up to the planning horizon. */
async function allIsPlanned(model: Model, t: Real['t']): Promise<void> {
  const untilMs = Date.now() + model.aheadMs
  const { rows } = await t.sql.query(
    `select j.name, j.planning_error from punctual.jobs j join punctual.cursors c on c.job_id = j.id
     where j.planning_error is not null
       or (not c.paused and j.name <> 'after' and c.next_at < to_timestamp($1::float8 / 1000))`,
    [untilMs],
  )
  expect(rows).toEqual([])
}

const plan = fc.boolean().map((both) =>
  command(
    both ? 'plan(both)' : 'plan()',
    (model) => model.jobs.size > 0,
    async (model, { t, rival }) => {
      const stores = both ? [t.store, rival] : [t.store]
      await Promise.all(stores.map((store) => planAll(plannerIn(model, store))))
      await allIsPlanned(model, t)
      return plans(model)
    },
  ),
)

/** Steering cancels planned runs that still wait; an edit also decides slots that have passed. */
export const steers = (jobId: string): Leeway => ({
  makes: (run) => run.jobId === jobId && run.place === 'queue' && run.attempt === 0,
  moves: (before, now) =>
    now.jobId === jobId && before.place === 'queue' && now.final === 'cancelled',
})

const edit = fc
  .record({ name, period: fc.constantFrom('6s', '13s'), overlap: fc.constantFrom(...OVERLAPS) })
  .map(({ name, period, overlap }) =>
    command(
      `edit(${name}, ${period}, ${overlap})`,
      () => true,
      async (model, real) => {
        const { paused = false } = model.jobs.get(name) ?? {}
        const rhythm = name === 'after' ? { everyAfterEnd: period } : { every: period }
        await makeJobs(model, real, { [name]: { ...rhythm, overlap } })
        const job = model.jobs.get(name) as { id: string; paused: boolean }
        job.paused = paused
        return steers(job.id)
      },
    ),
  )

const pauseOrResume = fc.record({ name, on: fc.boolean() }).map(({ name, on }) =>
  command(
    on ? `resume(${name})` : `pause(${name})`,
    (model) => model.jobs.has(name),
    async (model, { t }) => {
      const job = model.jobs.get(name) as { id: string; paused: boolean }
      const { steering } = t.store.schedules
      const done = on ? await steering.resume(job.id, 1) : await steering.pause(job.id, null, 1)
      expect(done, 'the call reports whether the job changed').toBe(job.paused === on)
      job.paused = !on
      return steers(job.id)
    },
  ),
)

/** Deleting a job cancels its runs that have not started; running and retrying runs continue. */
const remove = name.map((name) =>
  command(
    `delete(${name})`,
    (model) => model.jobs.has(name),
    async (model, { t }) => {
      const { id } = model.jobs.get(name) as { id: string }
      expect(await t.store.schedules.steering.delete(id, 1)).toBe(true)
      model.jobs.delete(name)
      for (const run of model.runs.values())
        if (run.jobId === id && !run.lease && run.attempt === 0) change(model, run.id, cancelled)
    },
  ),
)

const trigger = name.map((name) =>
  command(
    `trigger(${name})`,
    (model) => model.jobs.has(name),
    async (model, { t }) => {
      const { id: jobId } = model.jobs.get(name) as { id: string }
      const id = await t.store.schedules.steering.trigger(jobId, null, 1)
      return { makes: (run: ModelRun) => run.id === id && run.jobId === jobId }
    },
  ),
)

const resolve = fc.constant(
  command(
    'resolve()',
    (model) => [...model.runs.values()].some(({ place }) => place === 'parked'),
    async (_, { t }) => {
      await t.store.upkeep.resolveParked(0)
      return resolves
    },
  ),
)

export const jobCommands = [
  { weight: 4, arbitrary: plan },
  { weight: 2, arbitrary: edit },
  { weight: 3, arbitrary: pauseOrResume },
  { weight: 1, arbitrary: remove },
  { weight: 4, arbitrary: trigger },
  { weight: 4, arbitrary: resolve },
]
