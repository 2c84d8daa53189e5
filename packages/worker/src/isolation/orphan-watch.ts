/**
 * A thread in the process of an isolated handler. It ends the process and all that it started when
 * its worker is gone, even while the handler blocks. Otherwise an endless loop would outlive a
 * killed worker.
 */
import { workerData } from 'node:worker_threads'
import { endGroup } from './end-group.ts'

const CHECK_MS = 500
const { parent, leader } = workerData as { readonly parent: number; readonly leader: number }

setInterval(() => {
  if (process.ppid !== parent) endGroup(leader)
}, CHECK_MS)
