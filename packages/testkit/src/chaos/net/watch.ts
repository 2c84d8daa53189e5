/** Knows, on one connection, when the server has done what it was asked, and keeps the answer to that when it is told to. */
export interface Watch {
  /** What the client calls itself; empty until it has said so. */
  readonly application: string
  sent(piece: Buffer): void
  /** `armed`: the next answer to such a thing that was done is to be kept from the client. */
  answered(piece: Buffer, armed: (what: string) => boolean): Passed
}

export interface Passed {
  /** What goes on to the client. */
  readonly forward: readonly Buffer[]
  /** What was done and kept from the client; the connection is to be reset. */
  readonly swallowed: string | null
}
