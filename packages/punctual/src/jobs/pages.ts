/** Pages of jobs. */
import { integer, refuseOption } from '@punctual/core/check'
import { limits, PunctualError } from '@punctual/core/errors'
import { compileJobPageFilter, type JobPage, type JobPageFilter, skipOf } from '@punctual/core/job'
import type { PostgresStore } from '@punctual/store'

/** The size and start of a page of jobs: after a cursor, or by page number. */
export interface JobPageOptions {
  /** The most jobs to return, up to 1,000. @default 50 */
  limit?: number
  /** `nextCursor` of the previous page. It is valid only with the same filter. */
  cursor?: string
  /** Page number from 1, within the first 10,000 jobs; excludes `cursor`. @default 1 */
  page?: number
}

const KNOWN = ['limit', 'cursor', 'page']

export async function pageOfJobs(
  store: PostgresStore,
  jobFilter: JobPageFilter,
  options: JobPageOptions,
  tenantId: number,
): Promise<JobPage> {
  if (typeof options !== 'object' || options === null)
    return refuseOption('options', 'an object', options)
  for (const name of Object.keys(options))
    if (!KNOWN.includes(name))
      refuseOption('options', `an object with only ${KNOWN.join(', ')}`, name)
  const { limit = 50, cursor, page } = options
  integer('limit', limit, 1, limits.pageSize)
  if (cursor !== undefined && page !== undefined)
    throw new PunctualError('invalid_option', 'page excludes cursor; pass only one of them.', {
      field: 'page',
    })
  const filter = compileJobPageFilter(jobFilter)
  const where = { limit, cursor, skip: skipOf(page, limit) }
  const [found, total] = await store.replica.read(({ jobPages }) =>
    Promise.all([jobPages.page(filter, where, tenantId), jobPages.total(filter, tenantId)]),
  )
  return { ...found, ...total }
}
