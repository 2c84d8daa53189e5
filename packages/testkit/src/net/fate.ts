/** The fates that a test can choose for HTTP requests on their way through a proxy. */

/**
 * `pass`: the request is answered. `refuse`: it never arrives, and its connection ends. `lose`: it
 * arrives, and its answer is lost. `cut`: the same, in the middle of the answer. `busy`: the proxy
 * itself answers 503.
 */
export type Fate = 'pass' | 'refuse' | 'lose' | 'cut' | 'busy'

export interface HttpRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

export type FateOf = (request: HttpRequest) => Fate

export const BUSY =
  'HTTP/1.1 503 Service Unavailable\r\nretry-after: 0\r\ncontent-length: 4\r\nconnection: close\r\n\r\nbusy'

const HEAD_END = '\r\n\r\n'

/** The headers in the text that a request begins with. */
export function headersIn(text: string): Record<string, string> {
  const [head = ''] = text.split(HEAD_END)
  const lines = head.split('\r\n').slice(1)
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
}

/** The head of an answer and half of the body in this piece. */
export function halfOf(piece: Buffer): Buffer {
  const body = piece.indexOf(HEAD_END) + HEAD_END.length
  return piece.subarray(0, body + ((piece.length - body) >> 1))
}
