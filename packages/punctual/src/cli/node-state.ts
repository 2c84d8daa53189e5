/** What a node tells the world of itself: the ports of the HTTP app. */
import type { HealthReport, Ports, Readiness } from '@punctual/api'
import { systemClock } from '@punctual/store'
import type { Punctual } from '../punctual.ts'
import { version } from '../version.ts'

const ANSWER_MAX_MS = 2_000
const ping = { name: 'node/ping', text: 'select 1' }

export class NodeState implements Ports {
  #punctual: Punctual | null = null
  #draining = false
  /** Probes that come together share one look at the database. */
  #looking: Promise<Readiness> | null = null

  started(punctual: Punctual): void {
    this.#punctual = punctual
  }

  drains(): void {
    this.#draining = true
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

  readonly metrics = async (): Promise<string | null> => this.#punctual?.metrics.text() ?? null
}

async function look({ store }: Punctual): Promise<Readiness> {
  const given = new AbortController()
  const answered = store.database.read.query(ping).then(
    () => null,
    (error: Error) => error.message,
  )
  const late = systemClock
    .sleep(ANSWER_MAX_MS, given.signal)
    .then(() => `no answer within ${ANSWER_MAX_MS} ms`)
  const problem = await Promise.race([answered, late])
  given.abort()
  if (problem === null) return { ready: true }
  const detail = `The database does not answer: ${problem}`
  return { ready: false, reason: 'database_unavailable', detail }
}
