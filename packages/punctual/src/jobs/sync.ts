/** Makes the registered jobs of one source equal to a declared list. */

import { PunctualError } from '@punctual/core/errors'
import type { CompiledJob } from '@punctual/core/job'
import type { PostgresStore } from '@punctual/store'

const PAGE = 1_000

/** Options of `jobs.sync`. */
export interface SyncOptions {
  /** Deletes jobs of this source that are not in the list. @default false */
  prune?: boolean
  /** Only reports what would change. @default false */
  dryRun?: boolean
}

/** The result of a sync: job names by what happened to them. */
export interface SyncResult {
  /** Declared and new. */
  readonly created: readonly string[]
  /** Declared with different options than before. */
  readonly updated: readonly string[]
  /** Declared with the same options as before. */
  readonly unchanged: readonly string[]
  /** Jobs of this source that are no longer declared and were deleted, because `prune` is set. */
  readonly removed: readonly string[]
  /** Jobs of this source that are no longer declared and were kept, because `prune` is not set. */
  readonly kept: readonly string[]
}

export async function planSync(
  store: PostgresStore,
  source: string,
  jobs: readonly CompiledJob[],
  { tenantId, ...options }: SyncOptions & { tenantId: number },
): Promise<SyncResult> {
  const { jobs: registry, steering } = store.schedules
  const declared = new Set(jobs.map(({ name }) => name))
  const others: string[] = []
  for (let after = ''; ; ) {
    const page = await registry.list({ source, after, limit: PAGE }, tenantId)
    others.push(...page.map(({ name }) => name).filter((name) => !declared.has(name)))
    if (page.length < PAGE) break
    after = page.at(-1)?.name as string
  }
  await refuseForeign(store, source, jobs, tenantId)
  const results = options.dryRun
    ? await registry.compare(jobs, tenantId)
    : await registry.upsert(jobs, tenantId)
  if (options.prune && !options.dryRun)
    for (const name of others) await steering.delete(name, tenantId)
  const names = (change: string) => results.filter((r) => r.change === change).map((r) => r.name)
  return {
    created: names('created'),
    updated: names('updated'),
    unchanged: names('unchanged'),
    removed: options.prune ? others : [],
    kept: options.prune ? [] : others,
  }
}

/** A job that another source declares is not taken over. */
async function refuseForeign(
  store: PostgresStore,
  source: string,
  jobs: readonly CompiledJob[],
  tenantId: number,
): Promise<void> {
  const foreign = await store.schedules.jobs.ofOtherSources(
    jobs.map(({ name }) => name),
    source,
    tenantId,
  )
  const [first] = foreign
  if (first)
    throw new PunctualError(
      'job_of_other_source',
      `The job ${JSON.stringify(first.name)} belongs to ${first.source === null ? 'no source' : `the source ${JSON.stringify(first.source)}`}. Give it another name, or change it there.`,
      { field: 'name', id: first.id },
    )
}
