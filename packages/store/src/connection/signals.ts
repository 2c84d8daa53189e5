/**
 * Hints between nodes that something became due. A hint only ever shortens a sleep; a lost one
 * costs a poll. Hints go out after the commit, on the trailing edge, on average at most one per 10
 * ms and node with a burst of a few after a rest: NOTIFY takes a database-wide lock at commit. The
 * commit that carries a hint does not wait for the disk. Hints from within a caller's transaction
 * go out after its commit.
 */
import type { Clock } from '@punctual/core/clock'
import type { Database } from './database.ts'
import { type Hint, readHint } from './hints/read-hint.ts'
import type { Statement } from './statements.ts'

const QUIET_MS = 10
const BURST = 4
const LANES_MAX = 200
const CANCELS_MAX = 100
const SESSIONS_MAX = 100
const GATES_MAX = 100
/** How much of a notification that is not a hint is logged. */
const SHOWN_LENGTH = 100
const CHANGES_QUIET_MS = 100
const NOTHING = { lanes: [], newLane: false }
const NOTIFY: Statement = {
  name: 'signals/notify',
  text: "with hint as (select set_config('synchronous_commit', 'off', true)) select pg_notify($1, $2) from hint",
}

type ChangeKind = 'jobs' | 'groups' | 'leases'

export class Signals {
  readonly #database: Database
  readonly #clock: Clock
  readonly #node: string
  readonly #listeners = new Set<(hint: Hint) => void>()
  #lanes = new Set<number>()
  #anything = false
  #scheduled = false
  #sending: Promise<void> | null = null
  /** When the next hint may go out. */
  #nextMs = Number.NEGATIVE_INFINITY
  #connected = false
  #malformed = 0
  #listening = false
  /** Kinds of changes to announce soon. */
  readonly #changes = new Set<ChangeKind>()
  /** Immediate hints in flight: cancels, drains, changes. */
  readonly #sendingNow = new Set<Promise<void>>()

  constructor(database: Database, node: string) {
    this.#database = database
    this.#clock = database.localClock
    this.#node = node
  }

  get channelName(): string {
    return this.#database.hintChannel
  }

  /** True while hints of other nodes arrive. */
  get connected(): boolean {
    return this.#connected
  }

  onHint(listener: (hint: Hint) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** How many notifications were ignored because they are not hints. */
  get malformed(): number {
    return this.#malformed
  }

  #emit(hint: Hint): void {
    for (const listener of this.#listeners)
      try {
        listener(hint)
      } catch (error) {
        // A hint only shortens a sleep: no listener may fail what it follows.
        this.#database.fault('hints', error)
      }
  }

  /** Notifies this process at once and the others soon. */
  due(lanes: Iterable<number>): void {
    if (this.#database.ambient.defers(() => this.due(lanes))) return
    for (const lane of lanes) this.#lanes.add(lane)
    this.here(lanes)
    this.#schedule()
  }

  /** Notifies this process only. */
  here(lanes: Iterable<number>): void {
    if (this.#database.ambient.defers(() => this.here(lanes))) return
    this.#emit({ lanes: [...lanes], newLane: false })
  }

  /** Notifies this process only: the statement that creates a lane notifies the others. */
  newLane(lane: number): void {
    this.#emit({ lanes: [lane], newLane: true })
  }

  /** Notifies this process only that lanes must be read again. */
  changed(): void {
    if (this.#database.ambient.defers(() => this.changed())) return
    this.#emit({ lanes: null, newLane: true })
  }

  /**
   * Returns a hint to send right after a submission, on its connection and without waiting for its
   * answer: other nodes receive it a round trip earlier. Null if a hint was sent just before; then
   * `due` sends one soon. If the submission fails, the hint costs a useless poll.
   */
  pipelined(lanes: Iterable<number>): { statement: Statement; values: string[] } | null {
    const nowMs = this.#clock.monotonicMs()
    if (this.#scheduled || nowMs < this.#nextMs) return null
    this.#sent(nowMs)
    const payload = `${this.#node} due ${[...lanes].slice(0, LANES_MAX).join(',')}`
    return { statement: NOTIFY, values: [this.channelName, payload] }
  }

  #sent(nowMs: number): void {
    this.#nextMs = Math.max(this.#nextMs, nowMs - BURST * QUIET_MS) + QUIET_MS
  }

  /** Notifies the workers that run these runs to cancel them. */
  cancel(runIds: readonly string[]): void {
    if (this.#database.ambient.defers(() => this.cancel(runIds))) return
    for (let i = 0; i < runIds.length; i += CANCELS_MAX) {
      const cancels = runIds.slice(i, i + CANCELS_MAX)
      this.#emit({ ...NOTHING, cancels })
      this.#sendNow(`${this.#node} cancel ${cancels.join(',')}`)
    }
  }

  /** Notifies workers to drain, or to take work again. */
  sessions(sessionIds: readonly string[]): void {
    if (this.#database.ambient.defers(() => this.sessions(sessionIds))) return
    for (let i = 0; i < sessionIds.length; i += SESSIONS_MAX) {
      const sessions = sessionIds.slice(i, i + SESSIONS_MAX)
      this.#emit({ ...NOTHING, sessions })
      this.#sendNow(`${this.#node} sessions ${sessions.join(',')}`)
    }
  }

  #sendNow(payload: string): void {
    const sending = this.#notify(payload).finally(() => this.#sendingNow.delete(sending))
    this.#sendingNow.add(sending)
  }

  /** Notifies planners of created or changed jobs, at most every 100 ms: they read all of them. */
  jobsChanged(): void {
    this.#changed('jobs')
  }

  /** Notifies the finishers of groups that one may be ready. */
  groupsChanged(): void {
    this.#changed('groups')
  }

  /** Notifies reapers of a session with a short lease, at most every 100 ms. */
  leaseOpened(): void {
    this.#changed('leases')
  }

  /** Notifies all nodes, at once, that tenants or API keys changed. */
  identityChanged(): void {
    if (this.#database.ambient.defers(() => this.identityChanged())) return
    this.#emit({ ...NOTHING, identity: true })
    this.#sendNow(`${this.#node} identity `)
  }

  #changed(kind: ChangeKind): void {
    if (this.#database.ambient.defers(() => this.#changed(kind))) return
    this.#emit({ ...NOTHING, [kind]: true })
    if (this.#changes.has(kind)) return
    this.#changes.add(kind)
    void this.#clock.sleep(CHANGES_QUIET_MS).then(() => this.#sendChange(kind))
  }

  #sendChange(kind: ChangeKind): void {
    if (this.#changes.delete(kind)) this.#sendNow(`${this.#node} ${kind} `)
  }

  async #notify(payload: string): Promise<void> {
    // A lost hint costs a poll.
    await this.#database.control.query(NOTIFY, [this.channelName, payload]).catch(() => undefined)
  }

  /** Notifies that something is or will be due in lanes that the caller does not know. */
  anything(): void {
    if (this.#database.ambient.defers(() => this.anything())) return
    this.#anything = true
    this.#emit({ lanes: null, newLane: false })
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    this.#sending = this.#send()
  }

  async #send(): Promise<void> {
    const waitMs = this.#nextMs - this.#clock.monotonicMs()
    if (waitMs > 0) await this.#clock.sleep(waitMs)
    this.#sent(this.#clock.monotonicMs())
    const payload = this.#payload()
    this.#lanes = new Set()
    this.#anything = false
    // From here on, another hint is another message.
    this.#scheduled = false
    // A lost hint costs a poll.
    await this.#database.control.query(NOTIFY, [this.channelName, payload]).catch(() => undefined)
  }

  #payload(): string {
    const lanes = this.#anything || this.#lanes.size > LANES_MAX ? '*' : [...this.#lanes].join(',')
    return `${this.#node} due ${lanes}`
  }

  /** The payload for a user's own transaction; the reaper releases gates beyond the limit. */
  payloadFor(lanes: Iterable<number>, freedGates: readonly bigint[] = []): string {
    const gates = [...new Set(freedGates)].slice(0, GATES_MAX)
    return `- due ${[...lanes].slice(0, LANES_MAX).join(',')} ${gates.join(',')}`.trimEnd()
  }

  /**
   * Starts receiving hints, on the claim connection: it exists anyway, and is busy only when hints
   * do not matter. Behind a pooler LISTEN cannot work, and workers rely on polling.
   */
  listen(): void {
    if (this.#listening) return
    this.#listening = true
    this.#database.onClaimConnect.push(async (client) => {
      if (this.#database.pooled) return
      client.on('notification', (message) => this.#receive(message.payload ?? ''))
      await client.query(`listen ${this.channelName}`)
      this.#connected = true
      // Hints sent before LISTEN are lost.
      this.#emit({ lanes: null, newLane: true })
    })
    this.#database.onClaimDisconnect.push(() => {
      this.#connected = false
      this.#emit({ lanes: null, newLane: true })
    })
  }

  /** Never throws: an error in an event of the driver would end the process or its connection. */
  #receive(payload: string): void {
    const received = readHint(payload)
    if (received === null) {
      if (this.#malformed++ > 0) return
      const shownPart = JSON.stringify(payload.slice(0, SHOWN_LENGTH))
      const text = `ignored a NOTIFY on ${this.channelName} that is not a hint: ${shownPart}. Find the database role that sends it; further ones are only counted.`
      this.#database.fault('hints', new Error(text))
    } else if (received.node !== this.#node) this.#emit(received.hint)
  }

  /** Sends pending hints: a command that created a job and exits must still notify planners. */
  async close(): Promise<void> {
    await this.#sending
    for (const kind of [...this.#changes]) this.#sendChange(kind)
    await Promise.all(this.#sendingNow)
  }
}
