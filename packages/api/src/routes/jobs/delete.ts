/** DELETE /jobs/:id: ends the schedule and cancels the job's live runs; the history is kept. */
import { PunctualError } from '@punctual/core/errors'
import { ranOnce } from '@punctual/core/job'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { answer, exactly, idParam, oneOf } from '../../wire/schemas.ts'
import { findJob } from './find-job.ts'
import { holdExpected } from './hold-expected.ts'

const NOT_STARTED = ['waiting', 'scheduled', 'queued'] as const

export const deleteJob = defineRoute({
  method: 'DELETE',
  path: '/jobs/:id',
  scope: 'operate',
  tag: 'Jobs',
  summary: 'Deletes a job and frees its name',
  description:
    'Cancels all of its runs that have not started, including backfills, triggered runs and runs for missed slots. Running ones are asked to end, unless `running` is `finish`. The history is kept. With `If-Match`, only while the job has the version of the ETag (412).',
  params: idParam,
  query: exactly({
    running: Type.Optional(oneOf(['cancel', 'finish'] as const, { default: 'cancel' })),
  }),
  answer: answer({
    id: Type.String(),
    status: oneOf(['cancelled'] as const),
    cancelled_runs: Type.Integer({ description: 'Runs cancelled or asked to end.' }),
  }),
  writes: 'always',
  problems: ['job_not_found', 'version_changed', 'already_finished'],
  async handle(call) {
    const { tenant, params, query } = call
    const job = await findJob(tenant, params.id)
    await holdExpected(call)
    if (ranOnce(job))
      throw new PunctualError(
        'already_finished',
        `The job ${JSON.stringify(job.name)} ran once and is ${job.status}. Nothing is left to cancel.`,
        { id: job.id },
      )
    const states = query.running === 'finish' ? NOT_STARTED : [...NOT_STARTED, 'running' as const]
    const runs = { job: job.id, states: [...states] }
    // Counted first: the deletion itself ends the runs that have not started.
    const { matched } = await tenant.runs.cancelMany(runs, { dryRun: true })
    await tenant.jobs.delete(job.id)
    await tenant.runs.cancelMany(runs, { reason: 'job deleted' })
    return { id: job.id, status: 'cancelled' as const, cancelled_runs: matched }
  },
})
