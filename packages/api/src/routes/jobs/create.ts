/** POST /jobs: creates a job, or refuses a name that is in use. */
import { type Call, defineRoute } from '../../http/define-route.ts'
import { inWireNames } from '../../wire/in-wire-names.ts'
import { changeToWire, jobChange } from '../../wire/job-answer.ts'
import { jobOptionsOf, type NewJob, newJob } from '../../wire/job-input.ts'

/** Creates all jobs or none, each as its own caller. */
async function createEach(calls: readonly Call<unknown, unknown, NewJob>[]) {
  const { tenant } = calls[0] as (typeof calls)[number]
  const bodies = calls.map(({ body }) => body)
  const jobs = await inWireNames(bodies, async () => {
    const options = bodies.map((body) => jobOptionsOf(body.name, body))
    return tenant.jobs.createMany(options, { actors: calls.map(({ actor }) => actor) })
  })
  return jobs.map((job) => changeToWire(job, 'created'))
}

export const createJob = defineRoute({
  method: 'POST',
  path: '/jobs',
  scope: 'operate',
  tag: 'Jobs',
  summary: 'Creates a job',
  description:
    'At most one of `schedule`, `every_after_end`, `run_at` and `delay` says when it runs; without any of them it runs now. Its handler need not exist on a worker yet. The name of a one-time job that has ended is free: the new job replaces it, and its runs are kept.',
  body: newJob,
  answer: jobChange,
  status: 201,
  writes: 'always',
  problems: ['job_exists', 'invalid_schedule', 'invalid_timezone', 'never_fires', 'quota_exceeded'],
  async handle({ tenant, body }) {
    const job = await inWireNames([body], async () =>
      tenant.jobs.create(jobOptionsOf(body.name, body)),
    )
    return changeToWire(job, 'created')
  },
  handleAll: createEach,
})
