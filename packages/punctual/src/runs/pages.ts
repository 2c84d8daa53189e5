/** What pages and counts of runs take, and the names that they need: a filter names a job by its name, groups tell it. */
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

/** How many runs a page has, and where it begins. */
export interface RunPageOptions {
  /** The most runs to give, up to 1,000. @default 50 */
  limit?: number
  /** Where the page before ended: its `nextCursor`. It belongs to the filter and the order that it came with. */
  cursor?: string
  /**
   * `ended` needs states that are no success. @default ended where the filter names a time in which runs ended and only
   * such states, otherwise newest
   */
  order?: RunOrder
}

/** What runs are counted by. */
export interface RunCountOptions {
  /** `job`, `label:<name>` and so on; `day` is the day in UTC that a run was due on. @default state */
  by?: CountBy
}

export async function pageOfRuns(
  store: PostgresStore,
  asked: RunPageFilter,
  options: RunPageOptions,
  tenantId: number,
): Promise<RunPage> {
  const { limit = 50, cursor, order } = known(options, ['limit', 'cursor', 'order'])
  integer('limit', limit, 1, limits.pageSize)
  const compiled = compileRunPageFilter(asked)
  const page = { limit, cursor, order: orderOf(compiled, order) }
  const filter = await filterInStore(store, compiled, tenantId)
  return store.replica.read(({ pages }) => pages.page(filter, page, tenantId))
}

export async function countOfRuns(
  store: PostgresStore,
  asked: RunPageFilter,
  options: RunCountOptions,
  tenantId: number,
): Promise<RunCount> {
  const by = compileCountBy(known(options, ['by']).by ?? 'state')
  const filter = await filterInStore(store, compileRunPageFilter(asked), tenantId)
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

function known<T extends object>(options: T, names: readonly string[]): T {
  if (typeof options !== 'object' || options === null)
    return refuseOption('options', 'an object', options)
  for (const name of Object.keys(options))
    if (!names.includes(name)) refuseOption('options', `made of ${names.join(', ')}`, name)
  return options
}
