/**
 * Caches values that are read often and change rarely: a bounded number of answers, each for a
 * limited time after its query *started*. `forget` drops all of them after a change; an answer in
 * flight then still goes to its callers, and is not cached. Callers that ask for the same key share
 * one query.
 */
import type { Clock } from '@punctual/core/clock'

interface Answer<T> {
  readonly askedMs: number
  readonly value: T
}

export interface TtlCacheOptions<K, T> {
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** How long an answer is valid. */
  readonly holdsMs: number
  /** Answers older than this are refreshed ahead of time, so that a busy caller never waits. */
  readonly refreshMs?: number
  /** How many answers are kept; the oldest go first. */
  readonly most: number
  readonly ask: (key: K) => Promise<T>
}

export class TtlCache<K, T> {
  readonly #options: TtlCacheOptions<K, T>
  readonly #answers = new Map<K, Answer<T>>()
  readonly #asking = new Map<K, Promise<T>>()
  #generation = 0

  constructor(options: TtlCacheOptions<K, T>) {
    this.#options = options
  }

  /** Returns a cached answer without a promise, so that the hot path does not wait for a turn. */
  get(key: K): T | Promise<T> {
    const known = this.#answers.get(key)
    const ageMs = known
      ? this.#options.clock.monotonicMs() - known.askedMs
      : Number.POSITIVE_INFINITY
    if (!known || ageMs >= this.#options.holdsMs) return this.#ask(key)
    // A failed refresh is reported to the first caller that has to wait, once the answer expires.
    if (ageMs >= (this.#options.refreshMs ?? this.#options.holdsMs))
      this.#ask(key).catch(() => undefined)
    return known.value
  }

  /** Drops all answers: a change may have made any of them out of date. */
  forget(): void {
    this.#generation++
    this.#answers.clear()
    this.#asking.clear()
  }

  #ask(key: K): Promise<T> {
    const pending = this.#asking.get(key)
    if (pending !== undefined) return pending
    const generation = this.#generation
    const askedMs = this.#options.clock.monotonicMs()
    const asking = this.#options
      .ask(key)
      .then((value) => {
        if (generation === this.#generation) this.#keep(key, { askedMs, value })
        return value
      })
      .finally(() => {
        if (this.#asking.get(key) === asking) this.#asking.delete(key)
      })
    this.#asking.set(key, asking)
    return asking
  }

  #keep(key: K, answer: Answer<T>): void {
    this.#answers.delete(key)
    this.#answers.set(key, answer)
    if (this.#answers.size <= this.#options.most) return
    for (const oldest of this.#answers.keys()) {
      this.#answers.delete(oldest)
      return
    }
  }
}
