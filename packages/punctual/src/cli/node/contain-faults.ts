/**
 * What handlers leave behind (a promise nobody awaits, a throw in a timer) must not end the process that runs
 * everybody else's: it is logged and counted, and the process goes on.
 */
import type { Metrics } from '../../metrics/metrics.ts'
import type { NodeLog } from '../output/log.ts'

interface Counting {
  readonly metrics: Pick<Metrics, 'failed'>
}

export function containFaults(punctual: Counting, log: NodeLog): () => void {
  const contain = (where: string, what: string) => (reason: unknown) => {
    punctual.metrics.failed(where)
    const message = reason instanceof Error ? reason.message : String(reason)
    log.error({ err: reason, where }, `${what}; the process goes on: ${message}`)
  }
  const rejected = contain('unhandled_rejection', 'a rejected promise that nobody awaits')
  const thrown = contain('uncaught_exception', 'an error that nobody caught')
  process.on('unhandledRejection', rejected)
  process.on('uncaughtException', thrown)
  return () => {
    process.off('unhandledRejection', rejected)
    process.off('uncaughtException', thrown)
  }
}
