/** Runs that await their targets (awaiting/*): reports, and giving up those whose time is over. */
import type { AwaitingLook, ClaimedRun, Settlement } from '@punctual/core/ports'
import { traits } from '@punctual/core/run'
import type { MemoryStoreOptions } from '../tables/line.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import type { LeaseRow } from '../tables/rows.ts'
import { described } from './claim.ts'
import type { MemoryWorkStore } from './memory-work-store.ts'
import { NO_SESSION } from './settle.ts'

const AGAIN_MS = 30_000

export class MemoryAwaitingRuns {
  readonly #options: MemoryStoreOptions
  readonly #work: MemoryWorkStore

  constructor(options: MemoryStoreOptions, work: MemoryWorkStore) {
    this.#options = options
    this.#work = work
  }

  /** Settles the lease of an attempt as its target reports; false when there is none. */
  async report(
    runId: string,
    attempt: number,
    settlementOf: (run: ClaimedRun) => Settlement,
  ): Promise<boolean> {
    const { db, line } = this.#options
    const run = await line.call('find-awaited', () => {
      const lease = db.leases.get(runId)
      return lease?.attempt === attempt - 1 ? claimedRun(db, lease) : null
    })
    if (!run) return false
    return (await this.#work.settle(NO_SESSION, [settlementOf(run)])).length === 0
  }

  async giveUp(limit: number): Promise<AwaitingLook> {
    const { db, line } = this.#options
    const { runs, more } = await line.call('take-awaiting', () => takeAwaiting(db, limit))
    if (runs.length > 0) await this.#work.settle(NO_SESSION, runs.map(givenUp))
    const nextInMs = await line.call('next-wake', () => {
      const wakes = db.leases.values().flatMap(({ wakeMs }) => wakeMs ?? [])
      return wakes.length === 0 ? null : Math.max(0, Math.min(...wakes) - db.nowMs)
    })
    return { givenUp: runs.length, more, nextInMs }
  }
}

function takeAwaiting(db: MemoryDatabase, limit: number) {
  const due = db.leases
    .values()
    .filter(
      ({ wakeMs, sessionId }) => wakeMs !== null && wakeMs <= db.nowMs && sessionId === NO_SESSION,
    )
    .sort((a, b) => (a.wakeMs ?? 0) - (b.wakeMs ?? 0))
    .slice(0, limit)
  for (const lease of due) db.leases.set(lease.runId, { ...lease, wakeMs: db.nowMs + AGAIN_MS })
  const over = due.filter(({ deadlineMs }) => deadlineMs !== null && deadlineMs <= db.nowMs)
  return { runs: over.map((lease) => claimedRun(db, lease)), more: due.length === limit }
}

function claimedRun(db: MemoryDatabase, lease: LeaseRow): ClaimedRun {
  const lane = db.lanes.values().find(({ id }) => id === lease.lane)
  if (!lane) throw new Error(`run ${lease.runId} is of a lane that exists`)
  return described(db, lease, lane)
}

function givenUp(run: ClaimedRun): Settlement {
  const failure = { name: 'NoReport', message: 'The target did not report in time.' }
  const base = { run, startedAgoMs: 1, outcome: 'timed_out', failure, reason: 'no_report' } as const
  return { ...base, kind: (run.traits & traits.atMostOnce) !== 0 ? 'unknown' : 'dead' }
}
