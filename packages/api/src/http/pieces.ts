/**
 * Long work of one request in short transactions, its pieces, so that it holds its locks and its
 * connection only for a short time. With an idempotency key the result of each piece is stored in
 * the transaction of the piece: when a request is repeated because its answer was lost or it
 * failed halfway, the pieces that were done are not done again.
 */
import { PunctualError } from '@punctual/core/errors'
import type { AnsweredRequest, Service } from '../ports/service.ts'
import { keyInUse, keyOfAnother, type RequestKey } from './idempotency.ts'
import type { PieceTurns } from './piece-turns.ts'

/** Rows of pieces that are read together. */
const READ_TOGETHER = 64
/** Tries to get a connection for a piece after the first; each waits for seconds. */
const BUSY_TRIES = 12
/** Separates the key and the number of a piece. Keys of callers are ASCII and never contain it. */
const MARK = '§'

/** What pieces need of the service. */
export type PieceService = Pick<Service, 'transaction' | 'requests'>

interface PiecesOf {
  readonly service: PieceService
  readonly tenantId: number
  readonly key: RequestKey | null
  readonly turns: PieceTurns
}

export class Pieces {
  readonly #service: PieceService
  readonly #tenantId: number
  readonly #key: RequestKey | null
  readonly #turns: PieceTurns
  #next = 0

  constructor({ service, tenantId, key, turns }: PiecesOf) {
    this.#turns = turns
    this.#service = service
    this.#tenantId = tenantId
    this.#key = key
  }

  /** The results of the pieces that an earlier request with the key has done, in order. */
  async earlier<Result>(): Promise<readonly Result[]> {
    const key = this.#key
    if (key === null) return []
    const results: Result[] = []
    for (;;) {
      const names = Array.from({ length: READ_TOGETHER }, (_, i) => nameOf(key, this.#next + i))
      const found = await this.#service.transaction(() => this.#take(key, names))
      const missing = found.indexOf(null)
      const done = missing < 0 ? found : found.slice(0, missing)
      for (const stored of done) if (stored) results.push(readResult<Result>(key, stored))
      this.#next += done.length
      if (missing >= 0) return results
    }
  }

  /** Does the next piece in a transaction; what it returns is stored with it. */
  async perform<Result>(work: () => Promise<Result>): Promise<Result> {
    const key = this.#key
    const piece = key === null ? work : () => this.#stored(key, work)
    for (let tries = 1; ; tries++) {
      try {
        const result = await this.#turns.perform(this.#tenantId, () =>
          this.#service.transaction(piece),
        )
        this.#next++
        return result
      } catch (error) {
        // Pieces are done already: waiting longer is better than a partial answer.
        if (!isBusy(error) || this.#next === 0 || tries > BUSY_TRIES) throw error
      }
    }
  }

  async #stored<Result>(key: RequestKey, work: () => Promise<Result>): Promise<Result> {
    const name = nameOf(key, this.#next)
    const [found = null] = await this.#take(key, [name])
    // Another process does the same request: it continues from here.
    if (found !== null) throw keyInUse(key.text)
    const result = await work()
    const [fingerprint] = key.fingerprints
    const stored = { key: name, fingerprint, status: 200, body: JSON.stringify(result) }
    await this.#service.requests.answered(this.#tenantId, [stored])
    return result
  }

  /** Locks the key of the request until the transaction ends, and reads these pieces. */
  async #take(
    key: RequestKey,
    names: readonly string[],
  ): Promise<readonly (AnsweredRequest | null)[]> {
    const [own, ...found] = await this.#service.requests.take(this.#tenantId, [key.text, ...names])
    if (own === 'busy') throw keyInUse(key.text)
    return found.map((stored) => {
      if (stored === 'busy') throw keyInUse(key.text)
      return stored
    })
  }
}

function nameOf({ text }: RequestKey, piece: number): string {
  return `${text}${MARK}${piece}`
}

/** The fingerprint shows that the result was stored by the same request. */
function readResult<Result>({ text, fingerprints }: RequestKey, stored: AnsweredRequest): Result {
  if (!fingerprints.includes(stored.fingerprint)) throw keyOfAnother(text)
  return JSON.parse(stored.body)
}

function isBusy(error: unknown): boolean {
  return error instanceof PunctualError && error.code === 'server_busy'
}
