import type { Fate } from './fate.ts'

/**
 * Detects, on one connection, that the server performed a request, and withholds the answer when
 * armed.
 */
export interface Watch {
  /** The client's application name; empty until it sends one. */
  readonly application: string
  /** Reads what the client sends; returns the fate of the request that it belongs to. */
  sent(piece: Buffer): Fate
  /** `armed`: whether the answer to this kind of work is to be withheld from the client. */
  answered(piece: Buffer, armed: (what: string) => boolean): Passed
}

export interface Passed {
  /** The bytes forwarded to the client. */
  readonly forward: readonly Buffer[]
  /** The work whose answer is withheld from the client; the connection is to be reset. */
  readonly swallowed: string | null
  /** Whether the connection ends after these bytes, by the fate of its request. */
  readonly ends?: boolean
}
