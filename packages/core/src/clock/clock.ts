/** Time and randomness are ports, so that a test or a simulation can drive them. */
export interface Clock {
  /** Milliseconds since the epoch by this machine's clock: for display and estimates only. */
  wallMs(): number
  /** Milliseconds that never go back: for every duration. */
  monotonicMs(): number
  /**
   * Calls `call` after `ms`; returns a function that cancels it. Cheaper than a sleep that is cut
   * short.
   */
  after(ms: number, call: () => void): () => void
  /** Resolves after `ms`, or at once when the signal is aborted. It never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface Random {
  /** A number in [0, 1). */
  fraction(): number
  /** A positive random integer below 2^63, as a decimal string. */
  token(): string
  fill(bytes: Uint8Array): void
}
