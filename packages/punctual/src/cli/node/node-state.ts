/**
 * The state of a node as its HTTP app sees it: health, readiness, and the objects that requests
 * use.
 */
import type { HealthReport, Ports, Readiness, Service, WorkerPorts } from '@punctual/api'
import { PunctualError } from '@punctual/core/errors'
import { systemClock } from '@punctual/store'
import { version } from '../../config/version.ts'
import { serviceOf } from '../../http/service.ts'
import { workerPortsOf } from '../../http/worker-ports.ts'
import type { Punctual } from '../../punctual.ts'
import type { NodeLog } from '../output/log.ts'

const ANSWER_MAX_MS = 2_000
const ping = { name: 'node/ping', text: 'select 1' }

export class NodeState implements Ports {
  #punctual: Punctual | null = null
  #service: Service | null = null
  #workers: WorkerPorts | null = null
  #draining = false
  readonly #waiting = new AbortController()
  /** The database check in progress; concurrent probes share it. */
  #looking: Promise<Readiness> | null = null
  /** The problem that the log has already; null while the database answers. */
  #logged: string | null = null
  readonly #log: Pick<NodeLog, 'warn'>

  constructor(log: Pick<NodeLog, 'warn'>) {
    this.#log = log
  }

  started(punctual: Punctual): void {
    this.#punctual = punctual
    this.#service = serviceOf(punctual)
    this.#workers = workerPortsOf(punctual, this.#waiting.signal)
  }

  drains(): void {
    this.#draining = true
    this.#waiting.abort()
  }

  readonly health = (): HealthReport => ({ version, uptimeSeconds: Math.floor(process.uptime()) })

  readonly ready = async (): Promise<Readiness> => {
    if (this.#draining)
      return { ready: false, reason: 'draining', detail: 'This process is shutting down.' }
    if (this.#punctual === null)
      return { ready: false, reason: 'starting', detail: 'This process is still starting.' }
    this.#looking ??= this.#look(this.#punctual).finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  /** The text of an error names hosts and users: it is for the log, not for callers of a probe. */
  async #look(punctual: Punctual): Promise<Readiness> {
    const problem = await problemOf(punctual)
    if (problem !== null && problem !== this.#logged)
      this.#log.warn({ problem }, `not ready: the database does not answer: ${problem}`)
    this.#logged = problem
    if (problem === null) return separation(punctual.store)
    const detail = 'The database does not answer. The log of this process has the reason.'
    return { ready: false, reason: 'database_unavailable', detail }
  }

  /** The operations behind the API. */
  readonly service = (): Service => this.#open(this.#service)

  /** The operations for remote workers. */
  readonly workers = (): WorkerPorts => this.#open(this.#workers)

  #open<T>(part: T | null): T {
    if (this.#draining || part === null)
      throw new PunctualError(
        'stopped',
        this.#draining
          ? 'This process is shutting down. Retry with another one.'
          : 'This process is still starting. Retry in a few seconds.',
      )
    return part
  }

  readonly metrics = async ({ named }: { readonly named: boolean }): Promise<string | null> => {
    const metrics = this.#punctual?.metrics
    return (named ? metrics?.text() : metrics?.openText()) ?? null
  }
}

/** Why the database does not answer; null when it does. */
async function problemOf({ store }: Punctual): Promise<string | null> {
  const given = new AbortController()
  const answered = store.database.control.query(ping).then(
    () => null,
    (error: Error) => error.message,
  )
  const late = systemClock
    .sleep(ANSWER_MAX_MS, given.signal)
    .then(() => `no answer within ${ANSWER_MAX_MS} ms`)
  const problem = await Promise.race([answered, late])
  given.abort()
  return problem
}

/** A node that has to refuse the requests of tenants leaves them to nodes that need not. */
async function separation({ rowSecurity }: Punctual['store']): Promise<Readiness> {
  if (rowSecurity.refusal) await rowSecurity.look().catch(() => undefined)
  const { refusal } = rowSecurity
  if (refusal === null) return { ready: true }
  const detail = 'Row security is missing. The command `punctual doctor` says how to restore it.'
  return { ready: false, reason: refusal.code, detail }
}
