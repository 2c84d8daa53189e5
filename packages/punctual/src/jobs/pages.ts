/** What pages of jobs take. */
import { integer, refuseOption } from '@punctual/core/check'
import { limits, PunctualError } from '@punctual/core/errors'
import { compileJobPageFilter, type JobPage, type JobPageFilter, skipOf } from '@punctual/core/job'
import type { PostgresStore } from '@punctual/store'

/** How many jobs a page has, and where it begins: behind another page, or by its number. */
export interface JobPageOptions {
  /** The most jobs to give, up to 1,000. @default 50 */
  limit?: number
  /** Where the page before ended: its `nextCursor`. It belongs to the filter that it came with. */
  cursor?: string
  /** The number of the page, from 1; the first 10,000 jobs have one. Not together with `cursor`. @default 1 */
  page?: number
}

const KNOWN = ['limit', 'cursor', 'page']

export async function pageOfJobs(
  store: PostgresStore,
  asked: JobPageFilter,
  options: JobPageOptions,
  tenantId: number,
): Promise<JobPage> {
  if (typeof options !== 'object' || options === null)
    return refuseOption('options', 'an object', options)
  for (const name of Object.keys(options))
    if (!KNOWN.includes(name)) refuseOption('options', `made of ${KNOWN.join(', ')}`, name)
  const { limit = 50, cursor, page } = options
  integer('limit', limit, 1, limits.pageSize)
  if (cursor !== undefined && page !== undefined)
    throw new PunctualError('invalid_option', 'page excludes cursor; give one of them.', {
      field: 'page',
    })
  const filter = compileJobPageFilter(asked)
  const where = { limit, cursor, skip: skipOf(page, limit) }
  const [found, total] = await store.replica.read(({ jobPages }) =>
    Promise.all([jobPages.page(filter, where, tenantId), jobPages.total(filter, tenantId)]),
  )
  return { ...found, ...total }
}
