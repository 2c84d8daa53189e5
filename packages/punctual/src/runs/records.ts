/**
 * Records changes of runs: single ones with their previous state, bulk ones with their filter and
 * counts.
 */
import type { BulkResult, BulkVerb, Run } from '@punctual/core/run'
import type { OpenTransaction } from '@punctual/store'
import type { Recorded, WriteScope } from '../audit/control-writes.ts'
import type { BulkOptions } from './bulk.ts'

/** Records a change of an existing run, unless the entry is null. */
export function recordRun<T>(
  { store, writes, tenantId }: WriteScope,
  id: string,
  change: (transaction: OpenTransaction | null) => Promise<T>,
  entryOf: (result: T, run: Run) => Omit<Recorded, 'target'> | null,
): Promise<T> {
  return writes.record(tenantId, async ({ transaction = null }) => {
    const run = await store.runs.find(id, tenantId)
    const result = await change(transaction)
    const entry = run ? entryOf(result, run) : null
    if (!run || !entry) return { result, entries: [] }
    const target = { kind: 'run', id, name: run.job?.name ?? run.handler }
    return { result, entries: [{ target, ...entry }] }
  })
}

export const nextAt = (run: Run) => ('nextAt' in run ? run.nextAt : null)

/** The change of many runs as the caller requested it. */
export interface BulkRequest {
  readonly verb: BulkVerb
  readonly filter: unknown
  readonly options: BulkOptions & { reason?: string }
  /** The new values. */
  readonly change?: object
}

/** Records a change of many runs before it begins and at its end; a dry run changes nothing. */
export function recordRuns<Answer extends string>(
  { writes, tenantId }: WriteScope,
  { verb, filter, options, change }: BulkRequest,
  work: () => Promise<BulkResult<Answer>>,
): Promise<BulkResult<Answer>> {
  const { dryRun, limit, all, reason } = options ?? {}
  if (dryRun) return work()
  const entry = {
    action: `run.${verb}_many`,
    target: { kind: 'runs', id: null, name: null },
    request: { filter, limit, all, ...change },
    note: reason,
    summarise: ({ matched, states, answers, complete }: BulkResult<Answer>) => ({
      ...{ matched, states, answers, complete },
    }),
  }
  return writes.recordMany(tenantId, entry, work)
}
