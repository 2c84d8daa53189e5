/** Requests that create or change a job, and the library options that they stand for. */
import { limits } from '@punctual/core/errors'
import { type JobOptions, jobOptions } from '@punctual/core/job'
import Type, { type Static } from 'typebox'
import { delaySchema, otherForms, otherReaders, refuse } from './other-members.ts'
import { type Body, optionReader } from './read-options.ts'
import { membersOf } from './schema-of.ts'
import { exactly, name, text } from './schemas.ts'

/** The members of a job; at most one of `schedule`, `every_after_end`, `run_at` and `delay`. */
const { name: _, ...members } = membersOf(jobOptions, {
  ...otherForms,
  schedule: text(256, {
    description:
      'When it fires: a cron expression, or an interval such as `every 5m`, `PT1H` or `R5/…/PT1H`.',
    examples: ['0 9 * * *', 'every 5m'],
  }),
  delay: delaySchema('Run once, this long from now'),
})
const fields = {
  ...members,
  handler: Type.Optional(
    text(limits.nameLength, {
      description: 'The handler of its runs. Default: its name, unless `target` is given.',
    }),
  ),
}

type JobBody = Body & { readonly handler?: string }

export const newJob = Type.Unsafe<JobBody & { readonly name: string }>(exactly({ name, ...fields }))
export const jobByName = Type.Unsafe<JobBody>(exactly(fields))
export const jobChanges = Type.Unsafe<JobBody>(exactly(fields, { minProperties: 1 }))
export type NewJob = Static<typeof newJob>

const INTERVAL = /^(?:every\s+(.+)|(\d+\s*(?:ms|s|m|h|d|w)\S*|P\S+|R\d*\/\S+))$/i

/** A schedule is an interval when it says so, or when it cannot be a cron expression. */
function intervalIn({ schedule }: Body): string | undefined {
  const [, said, plain] = INTERVAL.exec(String(schedule).trim()) ?? []
  return said ?? plain
}

const readOptions = optionReader(jobOptions, {
  ...otherReaders,
  cron: (job) => (intervalIn(job) === undefined ? job.schedule : undefined),
  every: intervalIn,
})

const WHENS = ['schedule', 'every_after_end', 'run_at', 'delay']

/** The members that say when the job runs: at most one. */
function whensIn(job: Body): readonly string[] {
  const given = WHENS.filter((way) => job[way] !== undefined)
  const [, second] = given
  if (second !== undefined)
    refuse(second, `${given.join(' and ')} exclude each other. Give one of ${WHENS.join(', ')}.`)
  return given
}

/** The options that the library takes: the job runs now, when no member says when. */
export function jobOptionsOf(jobName: string, job: JobBody): JobOptions {
  const { handler = job.target === undefined ? jobName : undefined } = job
  const now = whensIn(job).length === 0
  const options = { ...readOptions(job), ...(now && { delayMs: 0 }), name: jobName }
  return { ...options, ...(handler !== undefined && { handler }) }
}

/** The changes of a PATCH, as options of the library. */
export function changesOf(job: JobBody): Partial<JobOptions> {
  whensIn(job)
  return readOptions(job)
}
