/**
 * The isolates of one handler: as many as run at the same time. Each is reused while it is sound,
 * and ended after it was idle for a while.
 */
import type { Clock } from '@punctual/core/clock'
import type { Isolate, IsolateOptions, LaunchIsolate } from './isolate.ts'
import type { FromIsolate } from './messages.ts'

const IDLE_MS = 60_000
/**
 * How long to wait for isolates to end: a thread inside a native call ends only after that call.
 */
const CLOSE_MS = 1_000

/** The call that uses an isolate. */
export interface IsolateUser {
  onMessage(message: FromIsolate): void
  onGone(why: Error): void
}

class Member {
  user: IsolateUser | null = null
  /** Cancels the timer that ends it when idle. */
  keep: (() => void) | undefined
  readonly isolate: Isolate
  readonly gone: Promise<void>

  constructor(options: IsolateOptions, launch: LaunchIsolate, onGone: (member: Member) => void) {
    let resolveGone = () => {}
    this.gone = new Promise((resolve) => {
      resolveGone = resolve
    })
    this.isolate = launch(options, {
      onMessage: (message) => this.user?.onMessage(message),
      onGone: (why) => {
        resolveGone()
        onGone(this)
        this.user?.onGone(why)
      },
    })
  }
}

export class IsolatePool {
  readonly #options: IsolateOptions
  readonly #launch: LaunchIsolate
  readonly #clock: Clock
  readonly #all = new Set<Member>()
  readonly #idle: Member[] = []

  constructor(options: IsolateOptions, launch: LaunchIsolate, clock: Clock) {
    this.#options = options
    this.#launch = launch
    this.#clock = clock
  }

  /** How many isolates exist, busy or idle. */
  get size(): number {
    return this.#all.size
  }

  /**
   * Returns the isolate that was used last, so that the others can stay idle long enough to end.
   */
  take(user: IsolateUser): Member {
    const member = this.#idle.pop() ?? this.#add()
    member.keep?.()
    member.user = user
    return member
  }

  #add(): Member {
    const member = new Member(this.#options, this.#launch, (gone) => this.#forget(gone))
    this.#all.add(member)
    return member
  }

  /** The isolate has finished its call, and can be reused. */
  giveBack(member: Member): void {
    member.user = null
    if (!this.#all.has(member)) return
    member.keep = this.#clock.after(IDLE_MS, () => this.end(member))
    this.#idle.push(member)
  }

  end(member: Member): void {
    member.user = null
    this.#forget(member)
    member.isolate.kill()
  }

  #forget(member: Member): void {
    member.keep?.()
    this.#all.delete(member)
    const index = this.#idle.indexOf(member)
    if (index >= 0) this.#idle.splice(index, 1)
  }

  async close(): Promise<void> {
    const all = [...this.#all]
    for (const member of all) this.end(member)
    const closed = new AbortController()
    const gone = Promise.all(all.map((member) => member.gone)).then(() => closed.abort())
    await Promise.race([gone, this.#clock.sleep(CLOSE_MS, closed.signal)])
  }
}

export type { Member as PooledIsolate }
