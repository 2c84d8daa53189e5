/** A campaign worker without a database: it claims its runs from the API nodes. */
import { RemoteWorker } from 'punctual'
import {
  type ChaosKeys,
  libraryOptions,
  readSettings,
  serveUntilStopped,
} from '../plan/child-settings.ts'
import { kindsOf } from '../plan/workload.ts'
import { handleKinds } from './handle-kinds.ts'

const settings = readSettings()
const { servers = [], more } = settings
const { worker, drainMs, logger } = libraryOptions(settings)
const remote = RemoteWorker.start({
  server: servers,
  apiKey: (more.keys as ChaosKeys).worker,
  ...(worker && { worker }),
  ...(drainMs !== undefined && { drainMs }),
  ...(logger !== undefined && { logger }),
})
handleKinds(remote.handler, kindsOf('remote'), settings)
serveUntilStopped(() => remote.stop())
