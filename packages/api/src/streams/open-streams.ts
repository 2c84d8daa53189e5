/** Answers that stay open, counted by key: each has so many at once, and all end when the server does. */
import { limits, PunctualError } from '@punctual/core/errors'

/** How streams are kept alive, and when they are given up. */
export interface StreamSettings {
  /** How long nothing is sent before a comment shows that the stream lives. */
  readonly heartbeatMs: number
  /** How long a reader may take nothing of what is sent before it is left. */
  readonly stallMs: number
  /** How often the key is looked at again. */
  readonly recheckMs: number
}

const streamDefaults: StreamSettings = {
  heartbeatMs: 15_000,
  stallMs: 30_000,
  recheckMs: 2_000,
}

export class OpenStreams {
  readonly settings: StreamSettings
  /** How each is ended, by key. */
  readonly #open = new Map<string, Set<() => void>>()

  constructor(settings: Partial<StreamSettings> = {}) {
    this.settings = { ...streamDefaults, ...settings }
  }

  /** How many are open. */
  get size(): number {
    return [...this.#open.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /**
   * Counts one in, which is ended so when the server closes; returns how to give its place back.
   * @throws `PunctualError` with `too_many_streams`
   */
  admit(keyId: string, end: () => void): () => void {
    const open = this.#open.get(keyId) ?? new Set()
    if (open.size >= limits.streamsPerKey)
      throw new PunctualError(
        'too_many_streams',
        `This key has ${open.size} streams open here, which is as many as it may have. Close one, or read several things from one.`,
        { id: keyId },
      )
    open.add(end)
    this.#open.set(keyId, open)
    return () => {
      open.delete(end)
      if (open.size === 0 && this.#open.get(keyId) === open) this.#open.delete(keyId)
    }
  }

  close(): void {
    for (const ends of [...this.#open.values()]) for (const end of [...ends]) end()
  }
}
