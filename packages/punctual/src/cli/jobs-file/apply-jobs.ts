/** Changes the registered jobs and calendars to match a file, and returns what changed. */

import { PunctualError } from '@punctual/core/errors'
import type { CompiledJob, JobDefaults } from '@punctual/core/job'
import type { StoredJob } from '@punctual/store'
import {
  canonical,
  changesBetween,
  type DeclaredChange,
  declareCompiled,
  declareStored,
} from '../../jobs/declaration.ts'
import type { SyncResult } from '../../jobs/sync.ts'
import type { Punctual } from '../../punctual.ts'
import { TENANT } from '../../tenants/tenant.ts'
import type { JobsDocument } from './jobs-file.ts'

export interface ApplyResult extends SyncResult {
  readonly source: string | null
  /** The changed fields of each updated job, by name. */
  readonly changes: Readonly<Record<string, readonly DeclaredChange[]>>
  readonly calendars: Readonly<Record<'created' | 'updated' | 'unchanged', readonly string[]>>
}

/** Computes the changes without applying them; refuses what cannot be applied. */
export async function compareDocument(
  punctual: Punctual,
  document: JobsDocument,
  installation: JobDefaults,
  prune: boolean,
): Promise<ApplyResult> {
  if (prune && document.source === null)
    throw new PunctualError(
      'invalid_option',
      '--prune deletes jobs of the source that the file names, but this file names none. Add a `source`.',
      { field: '--prune' },
    )
  const calendars = await compareCalendars(punctual, document)
  const sync = await syncDocument(punctual, document, { dryRun: true, prune })
  const changes: Record<string, DeclaredChange[]> = {}
  for (const name of sync.updated) {
    const stored = (await punctual.jobs.get(name)) as StoredJob | null
    const wanted = document.jobs.find(({ compiled }) => compiled.name === name)
    if (stored && wanted)
      changes[name] = changesBetween(
        declareStored(stored, installation),
        declareCompiled(wanted.compiled, installation),
      )
  }
  return { source: document.source, ...sync, changes, calendars }
}

/** Sets calendars first, because jobs refer to them. */
export async function applyDocument(
  punctual: Punctual,
  document: JobsDocument,
  compared: ApplyResult,
  prune: boolean,
): Promise<ApplyResult> {
  const { created, updated } = compared.calendars
  for (const name of [...created, ...updated]) {
    const calendar = document.calendars[name]
    if (calendar) await punctual.jobs.calendars.set(name, calendar)
  }
  return { ...compared, ...(await syncDocument(punctual, document, { dryRun: false, prune })) }
}

async function compareCalendars({ jobs }: Punctual, document: JobsDocument) {
  const stored = new Map((await jobs.calendars.list()).map((entry) => [entry.name, entry.calendar]))
  document.jobs.forEach(({ compiled }, i) => {
    for (const name of compiled.rules.calendars ?? [])
      if (!stored.has(name) && !Object.hasOwn(document.calendars, name))
        throw new PunctualError(
          'calendar_not_found',
          `${document.place(i, 'calendars')}: job ${JSON.stringify(compiled.name)}: The calendar ${JSON.stringify(name)} does not exist. Declare it in \`calendars\`, or create it with \`punctual calendars set\`.`,
          { field: 'calendars', id: name },
        )
  })
  const result = { created: [] as string[], updated: [] as string[], unchanged: [] as string[] }
  for (const [name, calendar] of Object.entries(document.calendars)) {
    const before = stored.get(name)
    const same = before !== undefined && canonical(before) === canonical(calendar)
    result[before === undefined ? 'created' : same ? 'unchanged' : 'updated'].push(name)
  }
  return result
}

function syncDocument(
  punctual: Punctual,
  { source, jobs }: JobsDocument,
  options: { dryRun: boolean; prune: boolean },
): Promise<SyncResult> {
  if (source === null) return upsertUnowned(punctual, jobs, options.dryRun)
  return punctual.jobs.sync(
    source,
    jobs.map(({ options: job }) => job),
    options,
  )
}

/**
 * Creates or updates jobs without a source. Touches only the named jobs, and none that belongs to a
 * source.
 */
async function upsertUnowned(
  punctual: Punctual,
  jobs: JobsDocument['jobs'],
  dryRun: boolean,
): Promise<SyncResult> {
  const registry = punctual.store.schedules.jobs
  const compiled = jobs.map((job): CompiledJob => job.compiled)
  const names = compiled.map(({ name }) => name)
  const owned = (await registry.ofOtherSources(names, '', TENANT)).find(
    (job) => job.source !== null,
  )
  if (owned)
    throw new PunctualError(
      'job_of_other_source',
      `The job ${JSON.stringify(owned.name)} belongs to the source ${JSON.stringify(owned.source)}, and this file names no source. Choose another name, or change the job there.`,
      { field: 'name', id: owned.id },
    )
  const results = dryRun
    ? await registry.compare(compiled, TENANT)
    : await registry.upsert(compiled, TENANT)
  const changed = (change: string) =>
    results.filter((result) => result.change === change).map((result) => result.name)
  const [created, updated, unchanged] = [
    changed('created'),
    changed('updated'),
    changed('unchanged'),
  ]
  return { created, updated, unchanged, removed: [], kept: [] }
}
