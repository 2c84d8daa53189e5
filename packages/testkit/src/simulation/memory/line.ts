/** How a node reaches the server. Each call is one transaction there; what happens on the way is the line's matter. */
export interface Line {
  call<T>(what: string, work: () => T): Promise<T>
}

/** What the stores tell other nodes about: hints, which may be lost. */
export interface Hints {
  queued(lanes: Iterable<number>): void
  cancels(runIds: readonly string[]): void
  /** Workers that are asked to drain, or to take work again. */
  sessions(ids: readonly string[]): void
  jobsChanged(): void
}

export const noHints: Hints = {
  queued: () => undefined,
  cancels: () => undefined,
  sessions: () => undefined,
  jobsChanged: () => undefined,
}
