/** A run filter as parameters $1 to $11, which all statements that list runs share. */
import type { CompiledRunFilter, CompiledRunPageFilter } from '@punctual/core/run'
import { uuidArray } from '../connection/binary-arrays.ts'
import type { List, Num, Text } from '../sql/typed.ts'

/** A filter that refers to the job by its id. */
export interface FilterInStore extends Omit<CompiledRunFilter, 'job'> {
  readonly jobId?: string
}

/** The same for pages and counts. */
export interface PageFilterInStore extends Omit<CompiledRunPageFilter, 'job'> {
  readonly jobId?: string
}

type FilterValues = [
  ...[tenantId: Num, queue: Text, handler: Text, jobId: Text, labels: Text, keyPrefix: Text],
  ...[dueFromMs: Num, dueToMs: Num, createdFromMs: Num, createdToMs: Num, ids: List<'uuid'>],
]

export function runFilterValues(filter: FilterInStore, tenantId: number): FilterValues {
  return [
    tenantId,
    filter.queue ?? null,
    filter.handler ?? null,
    filter.jobId ?? null,
    filter.labels ?? null,
    filter.keyPrefix ?? null,
    filter.dueFromMs ?? null,
    filter.dueToMs ?? null,
    filter.createdFromMs ?? null,
    filter.createdToMs ?? null,
    filter.ids ? uuidArray(filter.ids) : null,
  ]
}
