/**
 * What requests were answered under their idempotency keys. Used within the transaction of the change: the key is held to
 * its end, and what was answered is committed with it.
 */
import type { Database } from './database.ts'

/** What a request was answered. */
export interface AnsweredRequest {
  /** Of the method, the address and the body, in hexadecimal. */
  readonly fingerprint: string
  readonly status: number
  readonly body: string
}

export class RequestLog {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** What was answered under this key, or null; `busy` when a request with it is under way. */
  async take(tenantId: number, key: string): Promise<AnsweredRequest | 'busy' | null> {
    const { read } = this.#database
    const lock = this.#database.statement('requests/lock-request')
    const [free] = await read.query(lock, [tenantId, key])
    if (free?.[0] !== 't') return 'busy'
    const find = this.#database.statement('requests/find-request')
    const [row] = await read.query(find, [tenantId, key])
    if (!row) return null
    const [fingerprint, status, body] = row
    return { fingerprint: fingerprint as string, status: Number(status), body: body as string }
  }

  async answered(tenantId: number, key: string, answer: AnsweredRequest): Promise<void> {
    const statement = this.#database.statement('requests/insert-request')
    const { fingerprint, status, body } = answer
    await this.#database.read.query(statement, [tenantId, key, fingerprint, status, body])
  }
}
