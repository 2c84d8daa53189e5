/**
 * The session of this process: opened before the first claim, renewed by heartbeats, and reopened
 * when it is lost.
 */
import type { Clock, Random } from '@punctual/core/clock'
import type {
  Heartbeat,
  SessionAnnouncement,
  SessionDescription,
  WorkStore,
} from '@punctual/core/ports'

export interface SessionOptions {
  readonly store: Pick<
    WorkStore,
    'openSession' | 'renewSession' | 'describeSession' | 'closeSession'
  >
  readonly clock: Clock
  readonly heartbeat: Heartbeat
  readonly random: Random
  readonly announce: () => Omit<SessionAnnouncement, 'id' | 'drains'>
  readonly describe: () => SessionDescription
  readonly onLost: (id: string) => void
  /** The lease will expire before it can be renewed. */
  readonly onExpiring: () => void
  /** A drain of this worker was requested, or ended. */
  readonly onDrains: (drains: boolean) => void
  readonly onFailing: (message: string) => void
}

export class Session {
  readonly #options: SessionOptions
  #id: string | null = null
  #lastId = '0'
  #opening: Promise<string> | null = null
  #beating: { stop(): Promise<void> } | null = null
  #expiring = false
  #drains = false
  #wasLost = false

  constructor(options: SessionOptions) {
    this.#options = options
  }

  get id(): string | null {
    return this.#id
  }

  /** The last session that was opened: outcomes are settled under it even after its loss. */
  get lastId(): string {
    return this.#lastId
  }

  /** Whether a session was lost: its runs may have been claimed again under another one. */
  get wasLost(): boolean {
    return this.#wasLost
  }

  /** True while this worker should drain; a session that replaces a lost one keeps that. */
  get drains(): boolean {
    return this.#drains
  }

  /** True when the lease may have expired: nothing new is started under it. */
  get expiring(): boolean {
    return this.#expiring
  }

  open(): Promise<string> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null
    })
    return this.#opening
  }

  async #open(): Promise<string> {
    const id = this.#options.random.token()
    const announcement = { id, ...this.#options.announce(), drains: this.#drains }
    const sentAtMs = this.#options.clock.monotonicMs()
    await this.#options.store.openSession(announcement)
    this.#id = id
    this.#lastId = id
    this.#expiring = false
    const events = {
      onRenewed: (drains: boolean) => this.#id === id && this.#renewed(drains),
      onExpiring: () => {
        if (this.#id !== id) return
        this.#expiring = true
        this.#options.onExpiring()
      },
      onLost: () => this.lose(id),
      onFailing: (message: string) => this.#options.onFailing(message),
    }
    const openedAgoMs = this.#options.clock.monotonicMs() - sentAtMs
    const { heartbeat } = this.#options
    this.#beating = heartbeat.start(id, announcement.leaseMs, events, openedAgoMs)
    return id
  }

  #renewed(drains: boolean): void {
    this.#expiring = false
    if (this.#drains === drains) return
    this.#drains = drains
    this.#options.onDrains(drains)
  }

  /** The session is gone; a new one is opened before the next claim. */
  lose(id: string): void {
    if (this.#id !== id) return
    this.#id = null
    this.#wasLost = true
    void this.#beating?.stop()
    this.#beating = null
    this.#options.onLost(id)
  }

  /** True when the lease was extended; false when the session is gone. */
  async renew(): Promise<boolean> {
    const id = this.#id
    if (!id) return false
    const renewed = await this.#options.store.renewSession(id)
    if (!renewed) this.lose(id)
    else if (this.#id === id) this.#renewed(renewed.drains)
    return renewed !== null
  }

  /** Publishes the handlers of this worker and whether it still claims. */
  async describe(): Promise<void> {
    // A session that is being opened has announced the previous state.
    await this.#opening?.catch(() => undefined)
    if (this.#id) await this.#options.store.describeSession(this.#id, this.#options.describe())
  }

  async close(): Promise<void> {
    const id = this.#id
    this.#id = null
    await this.#beating?.stop()
    this.#beating = null
    if (id) await this.#options.store.closeSession(id)
  }
}
