/** DELETE /jobs/:id: no further slot; what is planned, waits or runs is cancelled; the history stays. */
import { PunctualError } from '@punctual/core/errors'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { answer, exactly, idParam, oneOf } from '../../wire/schemas.ts'
import { findJob, ranOnce } from './find-job.ts'
import { holdExpected } from './hold-expected.ts'

const NOT_STARTED = ['waiting', 'scheduled', 'queued'] as const

export const deleteJob = defineRoute({
  method: 'DELETE',
  path: '/jobs/:id',
  scope: 'operate',
  tag: 'Jobs',
  summary: 'Cancel a job and free its name',
  description:
    'All of its runs that have not started are cancelled, also those of backfills, by hand and of missed slots. Those that run are asked to end, unless `running` is `finish`. The history stays. With `If-Match`, only if it is still the version that the ETag names (412).',
  params: idParam,
  query: exactly({
    running: Type.Optional(oneOf(['cancel', 'finish'] as const, { default: 'cancel' })),
  }),
  answer: answer({
    id: Type.String(),
    status: oneOf(['cancelled'] as const),
    cancelled_runs: Type.Integer({ description: 'Runs that were cancelled or asked to end.' }),
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
        `The job ${JSON.stringify(job.name)} ran once and is ${job.status}; there is nothing left to cancel.`,
        { id: job.id },
      )
    const states = query.running === 'finish' ? NOT_STARTED : [...NOT_STARTED, 'running' as const]
    const runs = { job: job.id, states: [...states] }
    // Counted first: the deletion itself ends those that have not started.
    const { matched } = await tenant.runs.cancelMany(runs, { dryRun: true })
    await tenant.jobs.delete(job.id)
    await tenant.runs.cancelMany(runs, { reason: 'job deleted' })
    return { id: job.id, status: 'cancelled' as const, cancelled_runs: matched }
  },
})
