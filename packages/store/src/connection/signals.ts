/**
 * Hints between nodes that something became due. A hint only ever shortens a sleep; one that is lost costs
 * a poll. Sent after the commit, on the trailing edge, on average at most one in 10 ms and node, a few at
 * once after a rest: NOTIFY takes a lock of the whole database at commit. The commit that carries a hint
 * does not wait for the disk. What is said within a caller's transaction is said once that is committed.
 */
import type { Clock } from '@punctual/core/clock'
import type { Database } from './database.ts'
import type { Statement } from './statements.ts'

const QUIET_MS = 10
const BURST = 4
const LANES_MAX = 200
const CANCELS_MAX = 100
const GATES_MAX = 100
const CHANGES_QUIET_MS = 100
const NOTHING = { lanes: [], newLane: false }
const NOTIFY: Statement = {
  name: 'signals/notify',
  text: "with hint as (select set_config('synchronous_commit', 'off', true)) select pg_notify($1, $2) from hint",
}

export interface Hint {
  /** The lanes that have something due; null when it may be any. */
  readonly lanes: readonly number[] | null
  /** A lane was made that workers may not know. */
  readonly newLane: boolean
  /** Runs that are asked to end. */
  readonly cancels?: readonly string[]
  /** Workers that are asked to drain, or to take work again. */
  readonly sessions?: readonly string[]
  /** Gates of which the transaction of a caller has freed places. */
  readonly gates?: readonly bigint[]
  /** Jobs were made or changed. */
  readonly jobs?: boolean
  /** Groups were made, added to or closed. */
  readonly groups?: boolean
  /** Tenants or keys were changed: what is remembered of them is to be read again. */
  readonly identity?: boolean
}

export class Signals {
  readonly #database: Database
  readonly #clock: Clock
  readonly #node: string
  readonly #listeners = new Set<(hint: Hint) => void>()
  #lanes = new Set<number>()
  #anything = false
  #scheduled = false
  #sending: Promise<void> | null = null
  /** From when on the next hint may go. */
  #nextMs = Number.NEGATIVE_INFINITY
  #connected = false
  #listening = false
  /** Kinds of changes that are to be told soon. */
  readonly #changes = new Set<'jobs' | 'groups'>()
  /** Hints to those who hold something that are under way. */
  readonly #sendingOrders = new Set<Promise<void>>()

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

  #tell(hint: Hint): void {
    for (const listener of this.#listeners) listener(hint)
  }

  /** Tells this process at once and the others soon. */
  due(lanes: Iterable<number>): void {
    if (this.#database.transactions.defers(() => this.due(lanes))) return
    for (const lane of lanes) this.#lanes.add(lane)
    this.here(lanes)
    this.#schedule()
  }

  /** Tells this process only. */
  here(lanes: Iterable<number>): void {
    if (this.#database.transactions.defers(() => this.here(lanes))) return
    this.#tell({ lanes: [...lanes], newLane: false })
  }

  /** Tells this process only: whoever makes a lane tells the others by the same statement. */
  newLane(lane: number): void {
    this.#tell({ lanes: [lane], newLane: true })
  }

  /** Tells this process only that lanes are to be read again. */
  changed(): void {
    if (this.#database.transactions.defers(() => this.changed())) return
    this.#tell({ lanes: null, newLane: true })
  }

  /**
   * A hint to send right behind a submission, on its connection and without waiting for its answer: others
   * then hear of it a round trip earlier. Null while a hint was sent just now; then `due` sends one soon.
   * If the submission fails the hint is in vain, and costs a look.
   */
  beside(lanes: Iterable<number>): { statement: Statement; values: string[] } | null {
    const nowMs = this.#clock.monotonicMs()
    if (this.#scheduled || nowMs < this.#nextMs) return null
    this.#sent(nowMs)
    const payload = `${this.#node} due ${[...lanes].slice(0, LANES_MAX).join(',')}`
    return { statement: NOTIFY, values: [this.channelName, payload] }
  }

  #sent(nowMs: number): void {
    this.#nextMs = Math.max(this.#nextMs, nowMs - BURST * QUIET_MS) + QUIET_MS
  }

  /** Tells whoever runs these that they are asked to end. */
  cancel(runIds: readonly string[]): void {
    if (this.#database.transactions.defers(() => this.cancel(runIds))) return
    for (let i = 0; i < runIds.length; i += CANCELS_MAX) {
      const cancels = runIds.slice(i, i + CANCELS_MAX)
      this.#tell({ ...NOTHING, cancels })
      this.#order(`${this.#node} cancel ${cancels.join(',')}`)
    }
  }

  /** Tells workers that they are asked to drain, or to take work again. */
  sessions(sessionIds: readonly string[]): void {
    if (this.#database.transactions.defers(() => this.sessions(sessionIds))) return
    this.#tell({ ...NOTHING, sessions: sessionIds })
    this.#order(`${this.#node} sessions ${sessionIds.join(',')}`)
  }

  #order(payload: string): void {
    const sending = this.#notify(payload).finally(() => this.#sendingOrders.delete(sending))
    this.#sendingOrders.add(sending)
  }

  /** Tells planners that jobs were made or changed, at most once in 100 ms: they look at all of them. */
  jobsChanged(): void {
    this.#changed('jobs')
  }

  /** Tells whoever finishes groups that there may be one to look at. */
  groupsChanged(): void {
    this.#changed('groups')
  }

  /** Tells all nodes, at once, that tenants or keys were changed. */
  identityChanged(): void {
    if (this.#database.transactions.defers(() => this.identityChanged())) return
    this.#tell({ ...NOTHING, identity: true })
    this.#order(`${this.#node} identity `)
  }

  #changed(kind: 'jobs' | 'groups'): void {
    if (this.#database.transactions.defers(() => this.#changed(kind))) return
    this.#tell({ ...NOTHING, [kind]: true })
    if (this.#changes.has(kind)) return
    this.#changes.add(kind)
    void this.#clock.sleep(CHANGES_QUIET_MS).then(() => this.#sendChange(kind))
  }

  #sendChange(kind: 'jobs' | 'groups'): void {
    if (this.#changes.delete(kind)) this.#order(`${this.#node} ${kind} `)
  }

  async #notify(payload: string): Promise<void> {
    // A lost hint costs a poll.
    await this.#database.control.query(NOTIFY, [this.channelName, payload]).catch(() => undefined)
  }

  /** Something became due, or will, in lanes that the caller does not know. */
  anything(): void {
    if (this.#database.transactions.defers(() => this.anything())) return
    this.#anything = true
    this.#tell({ lanes: null, newLane: false })
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
    // From here on another hint is another message.
    this.#scheduled = false
    await this.#database.control.query(NOTIFY, [this.channelName, payload]).catch(() => undefined) // A lost hint costs a poll.
  }

  #payload(): string {
    const lanes = this.#anything || this.#lanes.size > LANES_MAX ? '*' : [...this.#lanes].join(',')
    return `${this.#node} due ${lanes}`
  }

  /** The text that a user's own transaction sends with its commit. Gates that it has no room for are left to the reaper. */
  payloadFor(lanes: Iterable<number>, freedGates: readonly bigint[] = []): string {
    const gates = [...new Set(freedGates)].slice(0, GATES_MAX)
    return `- due ${[...lanes].slice(0, LANES_MAX).join(',')} ${gates.join(',')}`.trimEnd()
  }

  /**
   * Begins to receive hints, on the connection that claims: it is there anyway, and busy only when hints do
   * not matter. Behind a pooler LISTEN cannot work, and polling serves alone.
   */
  listen(): void {
    if (this.#listening) return
    this.#listening = true
    this.#database.onClaimConnect.push(async (client) => {
      if (this.#database.pooled) return
      client.on('notification', (message) => this.#receive(message.payload ?? ''))
      await client.query(`listen ${this.channelName}`)
      this.#connected = true
      // What was sent while nobody listened is not known.
      this.#tell({ lanes: null, newLane: true })
    })
    this.#database.onClaimDisconnect.push(() => {
      this.#connected = false
      this.#tell({ lanes: null, newLane: true })
    })
  }

  #receive(payload: string): void {
    const [node, kind, lanes = '', gates = ''] = payload.split(' ')
    if (node === this.#node) return
    if (kind === 'jobs') this.#tell({ ...NOTHING, jobs: true })
    else if (kind === 'groups') this.#tell({ ...NOTHING, groups: true })
    else if (kind === 'identity') this.#tell({ ...NOTHING, identity: true })
    else if (kind === 'cancel') this.#tell({ ...NOTHING, cancels: lanes.split(',') })
    else if (kind === 'sessions') this.#tell({ ...NOTHING, sessions: lanes.split(',') })
    else
      this.#tell({
        lanes: lanes === '*' ? null : lanes.split(',').filter(Boolean).map(Number),
        newLane: kind === 'new',
        ...(/^-?\d/.test(gates) && { gates: gates.split(',').map(BigInt) }),
      })
  }

  /** Sends what waits: a process that made a job and ends, as a command does, must not leave it unheard of. */
  async close(): Promise<void> {
    await this.#sending
    for (const kind of [...this.#changes]) this.#sendChange(kind)
    await Promise.all(this.#sendingOrders)
  }
}
