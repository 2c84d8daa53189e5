/**
 * Knows, on one connection of HTTP, when a node has done what it was asked: an answer of success begins when the change
 * is committed. Clients send one request at a time, and each begins a piece of its own; bodies are passed on unread.
 */
import type { Passed, Watch } from './watch.ts'

const REQUEST = /^([A-Z]+) (\S+) HTTP\/1\.1\r\n/
const SUCCESS = /^HTTP\/1\.1 2/
const LINE_MAX = 2_000
/** Of sessions and runs: who it was is in the ledgers. */
const IDS = /\/\d{6,}(?=\/|$)/g

export class AnswerWatch implements Watch {
  readonly application = 'http'
  /** What changes something and is not answered yet. */
  #asked: string | null = null

  sent(piece: Buffer): void {
    const [, method, path = ''] = REQUEST.exec(piece.toString('latin1', 0, LINE_MAX)) ?? []
    if (method !== undefined)
      this.#asked = method === 'GET' ? null : `${method} ${path.replace(IDS, '/…')}`
  }

  answered(piece: Buffer, armed: (what: string) => boolean): Passed {
    const asked = this.#asked
    this.#asked = null
    const done = asked !== null && SUCCESS.test(piece.toString('latin1', 0, LINE_MAX))
    return done && armed(asked)
      ? { forward: [], swallowed: asked }
      : { forward: [piece], swallowed: null }
  }
}
