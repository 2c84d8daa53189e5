/**
 * Detects, on one HTTP connection, that a node has performed a request: a success response begins
 * after the change is committed. Clients send one request at a time, and each starts a new piece;
 * bodies are forwarded unread. A test may also choose the fate of each request.
 */
import { type Fate, type FateOf, halfOf, headersIn } from './fate.ts'
import type { Passed, Watch } from './watch.ts'

const REQUEST = /^([A-Z]+) (\S+) HTTP\/1\.1\r\n/
const SUCCESS = /^HTTP\/1\.1 2/
const LINE_MAX = 2_000
/** Session and run ids; the ledgers have them. */
const IDS = /\/\d{6,}(?=\/|$)/g

export class AnswerWatch implements Watch {
  readonly application = 'http'
  /** The pending request that changes something. */
  #request: string | null = null
  #fate: Fate = 'pass'
  readonly #fateOf: FateOf

  constructor(fateOf: FateOf = () => 'pass') {
    this.#fateOf = fateOf
  }

  sent(piece: Buffer): Fate {
    const text = piece.toString('latin1', 0, LINE_MAX)
    const [, method, path = ''] = REQUEST.exec(text) ?? []
    if (method !== undefined) {
      this.#request = method === 'GET' ? null : `${method} ${path.replace(IDS, '/…')}`
      this.#fate = this.#fateOf({ method, path, headers: headersIn(text) })
    }
    return this.#fate
  }

  answered(piece: Buffer, armed: (what: string) => boolean): Passed {
    const request = this.#request
    this.#request = null
    if (this.#fate === 'lose') return { forward: [], swallowed: null, ends: true }
    if (this.#fate === 'cut') return { forward: [halfOf(piece)], swallowed: null, ends: true }
    const done = request !== null && SUCCESS.test(piece.toString('latin1', 0, LINE_MAX))
    return done && armed(request)
      ? { forward: [], swallowed: request }
      : { forward: [piece], swallowed: null }
  }
}
