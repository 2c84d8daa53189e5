/**
 * Files that declare jobs, in YAML or JSON: `{ source, jobs: [...], calendars: {...} }`, or several
 * of them as documents of one stream or as one list. Everything is checked here, and an error names
 * its position in the file.
 */
import { PunctualError } from '@punctual/core/errors'
import {
  type CompiledJob,
  compileJob,
  type JobDefaults,
  type JobOptions,
  jobOptions,
} from '@punctual/core/job'
import type { Option } from '@punctual/core/option'
import { type CalendarInput, parseCalendar } from '@punctual/core/schedule'
import { CliError } from '../runtime/cli-error.ts'
import { type FilePath, FilePlaces } from './file-places.ts'

export interface JobsDocument {
  /** Null: the jobs belong to no source. */
  readonly source: string | null
  readonly jobs: readonly { readonly options: JobOptions; readonly compiled: CompiledJob }[]
  readonly calendars: Readonly<Record<string, CalendarInput>>
  /** The position of a job's field in the file. */
  readonly place: (job: number, field: string) => string
}

const ENTRIES = ['source', 'jobs', 'calendars']
const SHAPE =
  'A jobs file is { source: name, jobs: [ { name, handler, cron … } ], calendars: {…} }.'

/** `name` is the name of the file, for messages. */
export function readJobsFile(
  name: string,
  text: string,
  installation: JobDefaults,
): JobsDocument[] {
  const file = new FilePlaces(name, text)
  const seen = { sources: new Set<string | null>(), names: new Set<string>() }
  const documents = file.roots.map(({ value, path }) =>
    readDocument(file, value, path, installation, seen),
  )
  if (documents.length > 0) return documents
  throw new CliError('file_invalid', `${name} is empty.`, { hint: SHAPE })
}

function readDocument(
  file: FilePlaces,
  value: unknown,
  at: FilePath,
  installation: JobDefaults,
  seen: { sources: Set<string | null>; names: Set<string> },
): JobsDocument {
  const refuse = (path: FilePath, message: string): never => {
    throw new CliError('file_invalid', `${file.at(path)}: ${message}`, { hint: SHAPE })
  }
  if (!isRecord(value)) return refuse(at, `Expected an object with ${ENTRIES.join(', ')}.`)
  for (const entry of Object.keys(value))
    if (!ENTRIES.includes(entry))
      refuse([...at, entry], `Expected ${ENTRIES.join(', ')}; got ${JSON.stringify(entry)}.`)
  const { source = null, jobs = [], calendars = {} } = value
  if (source !== null && (typeof source !== 'string' || source === ''))
    return refuse(
      [...at, 'source'],
      'The source must be a non-empty string that names the owner of the jobs.',
    )
  if (seen.sources.has(source))
    refuse([...at, 'source'], `The source ${JSON.stringify(source)} occurs twice in this file.`)
  seen.sources.add(source)
  if (!Array.isArray(jobs)) return refuse([...at, 'jobs'], 'The jobs must be a list.')
  if (!isRecord(calendars))
    return refuse([...at, 'calendars'], 'The calendars must be an object keyed by name.')
  for (const [name, calendar] of Object.entries(calendars))
    file.locating([...at, 'calendars', name], `calendar ${JSON.stringify(name)}`, () =>
      parseCalendar(calendar),
    )
  return {
    source,
    calendars: calendars as Record<string, CalendarInput>,
    place: (job, field) => file.at([...at, 'jobs', job, field]),
    jobs: jobs.map((job: unknown, i) => {
      const path = [...at, 'jobs', i]
      const given = { ...declared(file, job, path), ...(source !== null && { source }) }
      const { options, compiled } = file.locating(path, `job ${JSON.stringify(given.name)}`, () => {
        return { options: given, compiled: compileJob(given, installation) }
      })
      if (seen.names.has(options.name))
        refuse(
          [...path, 'name'],
          `The name ${JSON.stringify(options.name)} occurs twice in this file.`,
        )
      seen.names.add(options.name)
      return { options, compiled }
    }),
  }
}

/**
 * Checks what only files require of a job, and refuses what would change its meaning with each
 * apply.
 */
function declared(file: FilePlaces, job: unknown, path: FilePath): JobOptions {
  const refuse = (field: string, message: string): never => {
    const what = isRecord(job) && typeof job.name === 'string' ? JSON.stringify(job.name) : ''
    throw new PunctualError(
      'invalid_option',
      `${file.at([...path, field])}: job ${what || `number ${Number(path.at(-1)) + 1}`}: ${message}`,
      { field },
    )
  }
  if (!isRecord(job)) return refuse('', 'Expected an object with name, handler and a schedule.')
  if (job.name === undefined) refuse('name', 'The job has no name.')
  for (const [name, { notInFile }] of Object.entries<Option>(jobOptions))
    if (notInFile !== undefined && job[name] !== undefined) refuse(name, notInFile)
  return job as unknown as JobOptions
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
