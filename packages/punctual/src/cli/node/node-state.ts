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
    this.#looking ??= look(this.#punctual).finally(() => {
      this.#looking = null
    })
    return this.#looking
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

  readonly metrics = async (): Promise<string | null> => this.#punctual?.metrics.text() ?? null
}

async function look({ store }: Punctual): Promise<Readiness> {
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
  if (problem === null) return separation(store)
  const detail = `The database does not answer: ${problem}`
  return { ready: false, reason: 'database_unavailable', detail }
}

/** A node that has to refuse the requests of tenants leaves them to nodes that need not. */
async function separation({ rowSecurity }: Punctual['store']): Promise<Readiness> {
  if (rowSecurity.refusal) await rowSecurity.look().catch(() => undefined)
  const { refusal } = rowSecurity
  if (refusal === null) return { ready: true }
  return { ready: false, reason: refusal.code, detail: refusal.message }
}
