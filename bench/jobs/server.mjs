/**
 * PostgreSQL for millions of jobs: a quarter of the machine's memory, as its manual recommends, and
 * enough log space for the load before a measurement. The same for every number of jobs.
 */
import { totalmem } from 'node:os'

const MB = 2 ** 20

export const SERVER_FOR_JOBS = {
  shared_buffers: `${Math.floor(totalmem() / 4 / MB)}MB`,
  max_wal_size: '16GB',
}
