/** The lease of this process: opened before the first claim, kept alive by the heartbeat, opened anew when lost. */
import type { Heartbeat, Random, SessionAnnouncement, WorkStore } from '@punctual/core'

export interface SessionOptions {
  readonly store: WorkStore
  readonly heartbeat: Heartbeat
  readonly random: Random
  readonly announce: () => Omit<SessionAnnouncement, 'id'>
  readonly onLost: () => void
  readonly onFailing: (message: string) => void
}

export class Session {
  readonly #o: SessionOptions
  #id: string | null = null
  #opening: Promise<string> | null = null
  #beating: { stop(): Promise<void> } | null = null

  constructor(options: SessionOptions) {
    this.#o = options
  }

  get id(): string | null {
    return this.#id
  }

  open(): Promise<string> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null
    })
    return this.#opening
  }

  async #open(): Promise<string> {
    const id = this.#o.random.token()
    const announcement = { id, ...this.#o.announce() }
    await this.#o.store.openSession(announcement)
    this.#id = id
    this.#beating = this.#o.heartbeat.start(id, announcement.leaseMs, {
      onRenewed: () => undefined,
      onLost: () => this.lose(id),
      onFailing: (message) => this.#o.onFailing(message),
    })
    return id
  }

  /** The session is gone; a new one is opened before the next claim. */
  lose(id: string): void {
    if (this.#id !== id) return
    this.#id = null
    void this.#beating?.stop()
    this.#beating = null
    this.#o.onLost()
  }

  /** True when the lease could be extended; false when it is gone. */
  async renew(): Promise<boolean> {
    const id = this.#id
    if (!id) return false
    const alive = await this.#o.store.renewSession(id)
    if (!alive) this.lose(id)
    return alive
  }

  /** Shows others what this worker can do, and whether it still takes work. */
  async describe(state: 'active' | 'draining'): Promise<void> {
    // What is opened just now has announced what there was before.
    await this.#opening?.catch(() => undefined)
    const { handlers } = this.#o.announce()
    if (this.#id) await this.#o.store.describeSession(this.#id, state, handlers)
  }

  async close(): Promise<void> {
    const id = this.#id
    this.#id = null
    await this.#beating?.stop()
    this.#beating = null
    if (id) await this.#o.store.closeSession(id)
  }
}
