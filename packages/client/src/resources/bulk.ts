/** Many items, one per line, in as many requests as needed. Each request takes effect once. */
import type { Connection } from '../http/connection.ts'
import { PunctualHttpError } from '../http/http-error.ts'
import type { AnswerOf, CallOptions } from '../http/operation.ts'

const ITEMS_MAX = 10_000
/** The server accepts 32 MiB, and a UTF-16 unit takes at most three bytes in UTF-8. */
const LENGTH_MAX = 10_000_000

export type BulkAnswer = AnswerOf<'POST /runs/bulk'>
export type BulkItem = BulkAnswer['items'][number]

export interface BulkOptions extends CallOptions {
  /**
   * `all`: all items of a request or none. `each`: the valid items, with a result for each.
   * @default 'all'
   */
  readonly mode?: 'all' | 'each'
  /** @default 10000 */
  readonly itemsPerRequest?: number
}

/** One of several requests failed. The earlier ones took effect; `done` has their answers. */
export class PunctualBulkError extends PunctualHttpError {
  override readonly name = 'PunctualBulkError'
  /** The answers of the earlier requests, whose items are the first of the input. */
  readonly done: BulkAnswer

  constructor(error: PunctualHttpError, done: BulkAnswer) {
    super({ ...error, cause: error })
    this.done = done
  }
}

type Many<T> = Iterable<T> | AsyncIterable<T>

export async function sendMany<Item>(
  connection: Connection,
  operation: 'POST /runs/bulk' | 'POST /jobs/bulk',
  items: Many<Item>,
  { mode, itemsPerRequest = ITEMS_MAX, ...options }: BulkOptions,
): Promise<BulkAnswer> {
  if (options.idempotencyKey !== undefined)
    throw new TypeError('idempotencyKey must be omitted: each of several requests needs its own.')
  const done: BulkAnswer = { accepted: 0, refused: 0, items: [] }
  for await (const body of bodiesOf(items, Math.min(itemsPerRequest, ITEMS_MAX))) {
    const answer = await connection
      .call(operation, { body, query: { mode } }, options)
      .catch((error: unknown) => {
        throw error instanceof PunctualHttpError ? new PunctualBulkError(error, done) : error
      })
    done.accepted += answer.accepted
    done.refused += answer.refused
    for (const item of answer.items) done.items.push(item)
  }
  return done
}

/** The body of each request. Items of a synchronous iterable are not awaited. */
async function* bodiesOf<Item>(items: Many<Item>, itemsMax: number): AsyncGenerator<string> {
  let lines: string[] = []
  let length = 0
  /** Adds an item; returns the body that was full before. */
  const add = (item: Item): string | null => {
    const line = JSON.stringify(item)
    const full = lines.length >= itemsMax || length + line.length > LENGTH_MAX
    const body = lines.length > 0 && full ? lines.join('\n') : null
    if (body !== null) {
      lines = []
      length = 0
    }
    lines.push(line)
    length += line.length + 1
    return body
  }
  if (Symbol.iterator in items)
    for (const item of items) {
      const body = add(item)
      if (body !== null) yield body
    }
  else
    for await (const item of items) {
      const body = add(item)
      if (body !== null) yield body
    }
  if (lines.length > 0) yield lines.join('\n')
}
