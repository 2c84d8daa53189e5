/** A declared list of jobs of one source becomes what is registered of that source. */

import { PunctualError } from '@punctual/core/errors'
import type { CompiledJob } from '@punctual/core/job'
import type { PostgresStore } from '@punctual/store'

const PAGE = 1_000

/** What a sync may do. */
export interface SyncOptions {
  /** Remove jobs of this source that are not in the list. @default false */
  prune?: boolean
  /** Only tell what would change. @default false */
  dryRun?: boolean
}

/** What a sync came to, by the names of jobs. */
export interface SyncResult {
  /** Declared, and not there before. */
  readonly created: readonly string[]
  /** Declared otherwise than they were. */
  readonly updated: readonly string[]
  /** Declared as they were. */
  readonly unchanged: readonly string[]
  /** Of this source and not declared: removed when `prune` was asked for. */
  readonly removed: readonly string[]
  /** Of this source and not declared: still there, as `prune` was not asked for. */
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
  const of = (change: string) => results.filter((r) => r.change === change).map((r) => r.name)
  return {
    created: of('created'),
    updated: of('updated'),
    unchanged: of('unchanged'),
    removed: options.prune ? others : [],
    kept: options.prune ? [] : others,
  }
}

/** A name that somebody else declares is not taken over. */
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
