/** One rate, its runs, and time that the test advances by moving all stored times back. */
import { compileOptions, makeSubmission, type SubmitOptions } from '@punctual/core/submit'
import { succeeded, type TestStore } from '@punctual/testkit'

let keys = 0

export class RateKit {
  readonly t: TestStore
  readonly everyMs: number
  readonly burst: number
  readonly rate: { key: string; limit: number; per: number; burst: number }
  /** Start times of runs, in ms of the kit's own time. */
  readonly starts: number[] = []
  #session: string | null = null
  #passedMs = 0

  constructor(t: TestStore, everyMs: number, burst: number) {
    this.t = t
    this.everyMs = everyMs
    this.burst = burst
    this.rate = { key: `rate ${++keys}`, limit: 1, per: everyMs, burst }
  }

  async nowMs(): Promise<number> {
    const { rows } = await this.t.sql.query(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    )
    return rows[0].ms + this.#passedMs
  }

  /**
   * Returns the ids of created or, with a key, replaced runs; workers claim the due ones at once.
   */
  async submit(count: number, options: SubmitOptions = {}): Promise<string[]> {
    const one = () => makeSubmission(compileOptions('test', { ...options, rate: this.rate }), '1')
    const accepted = await this.t.store.submit(Array.from({ length: count }, one))
    await this.work()
    return accepted.map(({ id }) => id)
  }

  /** Starts all runs that may start, and ends them. */
  async work(): Promise<void> {
    this.#session ??= await this.t.session(3_600_000)
    while (await this.#isDue()) {
      const { runs } = await this.t.claim(this.#session, 100)
      const nowMs = await this.nowMs()
      for (const _ of runs) this.starts.push(nowMs)
      const ends = runs.map((run) => succeeded(run))
      if (ends.length > 0) await this.t.store.work.settle(this.#session, ends)
    }
  }

  async #isDue(): Promise<boolean> {
    const [next] = await this.waiting()
    return next !== undefined && next.atMs <= (await this.nowMs())
  }

  /** Waiting runs in the order of their start times. */
  async waiting(): Promise<{ id: string; atMs: number }[]> {
    const { rows } = await this.t.sql.query(
      'select run_id as id, (pos >> 20)::float8 as ms from punctual.queue order by pos',
    )
    return rows.map(({ id, ms }) => ({ id, atMs: ms + this.#passedMs }))
  }

  /** Advances time; workers start each run as soon as it is due. */
  async pass(ms: number): Promise<void> {
    const untilMs = (await this.nowMs()) + ms
    for (;;) {
      const nowMs = await this.nowMs()
      const [next] = await this.waiting()
      const stepMs = Math.max(0, Math.ceil(Math.min(next?.atMs ?? untilMs, untilMs) - nowMs))
      await this.#moveBack(stepMs)
      await this.work()
      if (nowMs + stepMs >= untilMs) return
    }
  }

  async #moveBack(ms: number): Promise<void> {
    this.#passedMs += ms
    await this.t.sql.query(`
      update punctual.rates set next_us = next_us - ${ms * 1_000};
      update punctual.rate_starts set used_us = used_us - ${ms * 1_000};
      update punctual.gated set booked_us = booked_us - ${ms * 1_000};
      update punctual.queue set pos = pos - (${ms}::bigint << 20)`)
  }

  cancel(ids: readonly string[]) {
    return this.t.store.steering.cancelWaiting(ids, 'not needed')
  }

  async close(): Promise<number> {
    return (await this.t.store.upkeep.closeRateGaps()) ?? 0
  }

  /** Earliest start times of the next runs, by the starts so far. */
  async allowed(count: number): Promise<number[]> {
    let nextMs = 0
    for (const atMs of this.starts) nextMs = Math.max(nextMs, atMs) + this.everyMs
    const nowMs = await this.nowMs()
    const firstMs = Math.max(nextMs, nowMs)
    const savedMs = (this.burst - 1) * this.everyMs
    return Array.from({ length: count }, (_, n) =>
      Math.max(nowMs, firstMs + n * this.everyMs - savedMs),
    )
  }

  /** The largest violation of the rate, over all pairs of starts. */
  tooEarlyMs(): number {
    let worst = 0
    for (const [j, later] of this.starts.entries())
      for (const [i, earlier] of this.starts.slice(0, j).entries())
        worst = Math.max(worst, earlier + (j - i + 1 - this.burst) * this.everyMs - later)
    return worst
  }
}
