/**
 * What is read often and changes rarely, remembered for a while: a bounded number of answers, each no longer than a
 * given time after it was *asked* for. Whoever hears of a change forgets all of it; an answer that was under way then is
 * given to those who waited for it, and not remembered. Callers that ask for the same share one question.
 */
import type { Clock } from '@punctual/core/clock'

interface Answer<T> {
  readonly askedMs: number
  readonly value: T
}

export interface TtlCacheOptions<K, T> {
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** How long an answer holds. */
  readonly holdsMs: number
  /** From this age on an answer is asked for again ahead of time, so that a busy caller never waits. */
  readonly refreshMs?: number
  /** Answers that are kept; the oldest are forgotten first. */
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

  /** At once where the answer is known, so that the hot path does not even wait for a turn of the loop. */
  get(key: K): T | Promise<T> {
    const known = this.#answers.get(key)
    const ageMs = known
      ? this.#options.clock.monotonicMs() - known.askedMs
      : Number.POSITIVE_INFINITY
    if (!known || ageMs >= this.#options.holdsMs) return this.#ask(key)
    // A failure is told to whoever has to wait, when the answer holds no more.
    if (ageMs >= (this.#options.refreshMs ?? this.#options.holdsMs))
      this.#ask(key).catch(() => undefined)
    return known.value
  }

  /** Something changed: whatever was asked for before may be out of date. */
  forget(): void {
    this.#generation++
    this.#answers.clear()
    this.#asking.clear()
  }

  #ask(key: K): Promise<T> {
    const under = this.#asking.get(key)
    if (under !== undefined) return under
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
    const [oldest] = this.#answers.keys()
    this.#answers.delete(oldest as K)
  }
}
