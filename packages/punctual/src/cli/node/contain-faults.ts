/**
 * Keeps a fault that a handler leaves behind (a rejected promise that nobody awaits, a throw in a
 * timer) from ending the process, which runs other handlers too: the fault is logged and counted.
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
    log.error({ err: reason, where }, `${what}; the process continues: ${message}`)
  }
  const rejected = contain('unhandled_rejection', 'unhandled rejection')
  const thrown = contain('uncaught_exception', 'uncaught exception')
  process.on('unhandledRejection', rejected)
  process.on('uncaughtException', thrown)
  return () => {
    process.off('unhandledRejection', rejected)
    process.off('uncaughtException', thrown)
  }
}
