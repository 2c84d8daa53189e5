/** Pages and counts of runs. Filters and count groups use job names; the store uses job ids. */
import { integer, refuseOption } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import {
  type CountBy,
  compileCountBy,
  compileRunPageFilter,
  orderOf,
  type RunCount,
  type RunOrder,
  type RunPage,
  type RunPageFilter,
} from '@punctual/core/run'
import type { PostgresStore } from '@punctual/store'
import { filterInStore } from './bulk.ts'

/** The size, start and order of a page of runs. */
export interface RunPageOptions {
  /** The most runs to return, up to 1,000. @default 50 */
  limit?: number
  /** `nextCursor` of the previous page. It is valid only with the same filter and order. */
  cursor?: string
  /**
   * `ended` sorts by end time and requires a filter with only unsuccessful end states. @default
   * ended where the filter has a range of end times and only such states, otherwise newest
   */
  order?: RunOrder
}

/** Options of `runs.count`. */
export interface RunCountOptions {
  /**
   * The field to group by, such as `job` or `label:<name>`; `day` is the UTC day of the due time.
   * @default state
   */
  by?: CountBy
}

export async function pageOfRuns(
  store: PostgresStore,
  runFilter: RunPageFilter,
  options: RunPageOptions,
  tenantId: number,
): Promise<RunPage> {
  const { limit = 50, cursor, order } = checkKnown(options, ['limit', 'cursor', 'order'])
  integer('limit', limit, 1, limits.pageSize)
  const compiled = compileRunPageFilter(runFilter)
  const page = { limit, cursor, order: orderOf(compiled, order) }
  const filter = await filterInStore(store, compiled, tenantId)
  return store.replica.read(({ pages }) => pages.page(filter, page, tenantId))
}

export async function countOfRuns(
  store: PostgresStore,
  runFilter: RunPageFilter,
  options: RunCountOptions,
  tenantId: number,
): Promise<RunCount> {
  const by = compileCountBy(checkKnown(options, ['by']).by ?? 'state')
  const filter = await filterInStore(store, compileRunPageFilter(runFilter), tenantId)
  const counted = await store.replica.read(({ pages }) => pages.count(filter, by, tenantId))
  if (by.by !== 'job') return counted
  const ids = counted.groups.flatMap(({ name }) => name ?? [])
  const names = await store.schedules.jobs.names(ids, tenantId)
  return {
    ...counted,
    groups: counted.groups.map(({ name: id, count }) =>
      id === null ? { name: null, count } : { name: names.get(id) ?? null, count, id },
    ),
  }
}

function checkKnown<T extends object>(options: T, names: readonly string[]): T {
  if (typeof options !== 'object' || options === null)
    return refuseOption('options', 'an object', options)
  for (const name of Object.keys(options))
    if (!names.includes(name))
      refuseOption('options', `an object with only ${names.join(', ')}`, name)
  return options
}
