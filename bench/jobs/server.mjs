/**
 * PostgreSQL for millions of jobs: a quarter of the machine's memory, as its manual advises, and room in the log for a
 * load that is not part of any measurement. The same for every number of jobs.
 */
import { totalmem } from 'node:os'

const MB = 2 ** 20

export const SERVER_FOR_JOBS = {
  shared_buffers: `${Math.floor(totalmem() / 4 / MB)}MB`,
  max_wal_size: '16GB',
}
