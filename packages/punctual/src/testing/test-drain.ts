/**
 * Runs everything that is due, and what it submits, until nothing is left. Each read of live runs
 * is one snapshot of the database, so that no run is missed while it moves between tables. Retries
 * do not wait for their backoff: backoff is for production.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Instant } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import { isFinal, type Run, type RunState, type RunSummary } from '@punctual/core/run'
import type { Punctual } from '../punctual.ts'

/** Options of `drain`: what to run, and how long it may take. */
export interface DrainOptions {
  /**
   * Rejects after this many milliseconds. @default the `timeoutMs` given to `startTestPunctual`,
   * 4000
   */
  timeoutMs?: number
  /**
   * Also runs what is due up to this instant, one due time after the other. Of jobs it runs only
   * slots that are already planned, about a minute ahead.
   */
  until?: Instant
}

const BUSY: readonly RunState[] = ['queued', 'running', 'cancelling', 'waiting']
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const SELECT_MAX = 10_000
const NAMED_MAX = 10
const [POLL_MIN_MS, POLL_MAX_MS] = [2, 50]

export class TestDrain {
  readonly #punctual: Punctual
  readonly #failures: () => string

  constructor(punctual: Punctual, failures: () => string) {
    this.#punctual = punctual
    this.#failures = failures
  }

  async drain(timeoutMs: number, until: number | null): Promise<void> {
    await poll(timeoutMs, async (isLast) => {
      const busy = await this.#busy()
      if (busy.length > 0 && isLast) throw await this.#stuck(busy, timeoutMs)
      if (busy.length > 0) return false
      if (await this.#promoteNext(until)) return false
      // The callback of a group belongs to the work, even if another process has just finished the
      // group.
      await this.#punctual.store.groups.look()
      return (await this.#busy()).length === 0
    })
  }

  /** Waits until a run has ended, without backoff between retries; null when it is not due yet. */
  async settle(id: string, timeoutMs: number, waitsForIt: boolean): Promise<Run | null> {
    let ended: Run | null = null
    await poll(timeoutMs, async (isLast) => {
      const run = await this.#punctual.runs.get(id)
      if (run === null || isFinal(run.state)) {
        ended = run
        return true
      }
      if (run.state === 'scheduled' && run.attempts.length > 0)
        await this.#punctual.runs.promote(id)
      else if (run.state === 'scheduled' && !waitsForIt) return true
      if (isLast) throw await this.#stuck([id], timeoutMs)
      return false
    })
    return ended
  }

  /** Ids of runs that are due or running. */
  async #busy(): Promise<string[]> {
    const ids: string[] = []
    for (let after: string | null = FIRST_ID; after !== null; ) {
      const filter = { states: BUSY }
      const { runs, next } = await this.#punctual.store.runs.select(filter, after, SELECT_MAX)
      ids.push(...runs.map((run) => run.id))
      after = next
    }
    return ids
  }

  /** Makes the next scheduled runs due; returns false when there are none to run. */
  async #promoteNext(until: number | null): Promise<boolean> {
    const { runs } = this.#punctual
    const scheduled = await runs.list({ states: ['scheduled'], limit: 1_000 })
    const retries = scheduled.filter((run) => run.attempt > 0)
    const next = retries.length > 0 ? retries : firstOf(scheduled, until)
    for (const { id } of next) await runs.promote(id)
    return next.length > 0
  }

  async #stuck(ids: readonly string[], timeoutMs: number): Promise<PunctualError> {
    const lines: string[] = []
    for (const id of ids.slice(0, NAMED_MAX)) {
      const run = await this.#punctual.runs.get(id)
      if (run !== null && !isFinal(run.state)) lines.push(await this.#describe(run))
    }
    if (ids.length > NAMED_MAX) lines.push(`- and ${ids.length - NAMED_MAX} more`)
    const many = ids.length === 1 ? '1 run has' : `${ids.length} runs have`
    const message = `${many} not ended after ${timeoutMs} ms:\n${lines.join('\n')}${this.#failures()}`
    return new PunctualError('wait_timeout', message, { id: ids[0] as string })
  }

  async #describe(run: Run): Promise<string> {
    const { running, reasons } = await this.#punctual.runs.explain(run)
    const attempt = `attempt ${run.attempts.length + 1} of ${run.maxAttempts}`
    const state = running
      ? `Its handler has not returned (${attempt}).`
      : reasons.map(({ detail }) => detail).join(' ')
    return `- ${run.handler} ${run.id}, ${run.state}: ${state}`
  }
}

/** The runs with the earliest due time. */
function firstOf(scheduled: readonly RunSummary[], until: number | null): readonly RunSummary[] {
  const [first] = scheduled
  if (until === null || first === undefined || first.dueAt.getTime() > until) return []
  return scheduled.filter((run) => run.dueAt.getTime() === first.dueAt.getTime())
}

/** Calls `step` until it returns true; the last call before the timeout gets `isLast`. */
async function poll(timeoutMs: number, step: (isLast: boolean) => Promise<boolean>): Promise<void> {
  const endAt = performance.now() + timeoutMs
  for (let pauseMs = POLL_MIN_MS; ; pauseMs = Math.min(POLL_MAX_MS, pauseMs * 1.3)) {
    const isLast = performance.now() >= endAt
    if (await step(isLast)) return
    await delay(pauseMs)
  }
}
