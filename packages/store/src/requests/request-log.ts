/**
 * Stores the responses to requests with idempotency keys. Used within the transaction of the
 * change: the key is locked until its end, and the response commits with the change.
 */
import { int2Array, textArray } from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import { findRequests, insertRequests, lockRequests } from './statements.gen.ts'

/** The stored response to a request. */
export interface AnsweredRequest {
  /** A hash of the method, the path and the body, in hexadecimal. */
  readonly fingerprint: string
  readonly status: number
  readonly body: string
}

export class RequestLog {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Locks these keys; returns each one's response or null, or `busy` if a request with it runs. */
  async take(
    tenantId: number,
    keys: readonly string[],
  ): Promise<readonly (AnsweredRequest | 'busy' | null)[]> {
    const { control } = this.#database
    const locked = await control.run(lockRequests(tenantId, textArray(keys)))
    const free = new Set(locked.map(({ key }) => key))
    const found = await control.run(findRequests(tenantId, textArray(keys)))
    const known = new Map(found.map((request) => [request.key, request]))
    return keys.map((key) => (free.has(key) ? (known.get(key) ?? null) : 'busy'))
  }

  async answered(
    tenantId: number,
    answers: readonly (AnsweredRequest & { readonly key: string })[],
  ): Promise<void> {
    await this.#database.control.run(
      insertRequests(
        tenantId,
        textArray(answers.map(({ key }) => key)),
        textArray(answers.map(({ fingerprint }) => fingerprint)),
        int2Array(answers.map(({ status }) => status)),
        textArray(answers.map(({ body }) => body)),
      ),
    )
  }
}
