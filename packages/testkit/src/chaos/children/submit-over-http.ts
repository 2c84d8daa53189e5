/**
 * Submits through the API nodes, as a program without a database does: the client tries the next
 * node when one does not answer, and sends the same key each time.
 */
import { type Client, createClient, type NewRun, PunctualHttpError } from '@punctual/client'
import type { SubmitOptions } from 'punctual'
import type { ChaosPayload } from '../plan/workload.ts'

export interface Answered {
  readonly id: string
  readonly created: boolean
}

interface Asked {
  readonly ask: string
  readonly kind: string
  readonly payload: ChaosPayload
  readonly options: SubmitOptions
}

/** Shorter than the faults, so that requests are repeated while a fault lasts. */
const TIMEOUT_MS = 3_000
/** Statuses that do not show whether the request was valid. */
const UNKNOWN = new Set([408, 409, 429])

export class HttpSubmitter {
  readonly #client: Client

  constructor(servers: readonly string[], apiKey: string) {
    this.#client = createClient({ url: servers, apiKey, timeoutMs: TIMEOUT_MS })
  }

  /** A repeated ask is the same request, and must receive the same answer. */
  submit(ask: Asked): Promise<Answered> {
    return this.#client.runs.submit(toWire(ask), { idempotencyKey: ask.ask })
  }

  /** Submits all of them in one request, or none. */
  async submitMany(asks: readonly Asked[]): Promise<readonly Answered[]> {
    const { items } = await this.#client.runs.submitMany(asks.map(toWire))
    return items.map(({ id = '', created = false }) => ({ id, created }))
  }
}

/**
 * Whether the node reports that nothing was stored; after any other error the result is unknown.
 */
export function isHttpRefusal(error: unknown): boolean {
  if (!(error instanceof PunctualHttpError)) return false
  return error.status >= 400 && error.status < 500 && !UNKNOWN.has(error.status)
}

function toWire({ kind, payload, options }: Asked): NewRun {
  const { key, queue, concurrency, delivery, maxAttempts, delayMs } = options
  return {
    ...{ handler: kind, payload },
    ...(key !== undefined && { key }),
    ...(queue !== undefined && { queue }),
    ...(concurrency !== undefined && { concurrency }),
    ...(delivery !== undefined && { delivery }),
    ...(maxAttempts !== undefined && { max_attempts: maxAttempts }),
    ...(delayMs !== undefined && { delay: delayMs / 1_000 }),
    retry_policy: { backoff: { kind: 'fixed', delay_ms: 300 } },
  }
}
