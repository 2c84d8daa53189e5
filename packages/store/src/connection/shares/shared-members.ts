/**
 * Shares equal things, such as connections that send calls without waiting for answers, between
 * parties. At any time one party alone uses a member, with any number of calls, so that the slow
 * calls of one tenant never stand before those of another. While others wait, a party that already
 * has a member waits for its turn as well.
 */
import { invariant } from '@punctual/core/errors'
import type { FairShares, Party } from './fair-shares.ts'

interface Use<Member> {
  readonly member: Member
  calls: number
}

export class SharedMembers<Member> {
  readonly all: readonly Member[]
  readonly #free: Member[]
  readonly #shares: FairShares
  readonly #uses = new Map<Party, Use<Member>>()

  /** The shares have a permit for each member. */
  constructor(members: readonly Member[], shares: FairShares) {
    this.all = members
    this.#free = [...members]
    this.#shares = shares
  }

  /** @throws `server_busy`, as `FairShares.take` does */
  async with<Result>(party: Party, work: (member: Member) => Promise<Result>): Promise<Result> {
    const current = this.#shares.waiting === 0 ? this.#uses.get(party) : undefined
    const use = current ?? (await this.#take(party))
    use.calls++
    try {
      return await work(use.member)
    } finally {
      if (--use.calls === 0) this.#release(party, use)
    }
  }

  async #take(party: Party): Promise<Use<Member>> {
    await this.#shares.take(party)
    const member = this.#free.shift()
    invariant(member, 'there is a member for each permit')
    const use = { member, calls: 0 }
    this.#uses.set(party, use)
    return use
  }

  #release(party: Party, use: Use<Member>): void {
    if (this.#uses.get(party) === use) this.#uses.delete(party)
    this.#free.push(use.member)
    this.#shares.release(party)
  }
}
