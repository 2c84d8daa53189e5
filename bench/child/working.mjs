/** The commands of a working process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { quantiles } from '../lib/quantiles.mjs'
import { monotonicMs, wallMs } from './payload.mjs'

const SETTLE_CHECK_MS = 5

export function working(state) {
  const seen = { handled: 0, lastAt: 0, latenessMs: [], reached: () => {}, target: Infinity }
  const jobs = new JobStarts()
  return {
    /** Starts the worker and returns when all `count` runs are settled in the store. */
    drain: async ({ count }) => {
      const startedAt = performance.now()
      const handled = new Promise((resolve) => {
        Object.assign(seen, { handled: 0, target: count, reached: resolve })
      })
      await state.client.start(counting(seen))
      await handled
      while (!(await state.client.settled())) await sleep(SETTLE_CHECK_MS)
      return { ms: performance.now() - startedAt }
    },
    /** The same, until `count` runs without a key are handled, regardless of the others. */
    drainFree: async ({ count }) => {
      const startedAt = performance.now()
      const free = new Promise((resolve) => {
        Object.assign(seen, { handled: 0, free: 0, target: count, reached: resolve })
      })
      await state.client.start(countingFree(seen))
      await free
      return { ms: performance.now() - startedAt }
    },
    start: ({ handler, holdMs }) => state.client.start(HANDLERS[handler](seen, holdMs)),
    /** Starts recording when the runs of jobs were due and when they started. */
    startJobs: () => state.client.start(recording(jobs)),
    jobStarts: ({ fromMs, untilMs }) => summarize(jobs.dueBetween(fromMs, untilMs)),
    jobCount: ({ fromMs, untilMs }) => jobs.count(fromMs, untilMs),
    progress: () => ({ handled: seen.handled, lastAtMs: performance.timeOrigin + seen.lastAt }),
    /** Returns the recorded values and restarts the count from zero. */
    lateness: () => {
      seen.handled = 0
      return seen.latenessMs.splice(0)
    },
    settled: () => state.client.settled(),
  }
}

const HANDLERS = { counting, fromSubmit, fromDue, holding, picked }

/** The no-op handler. A system that hands over whole batches may count them at once. */
function counting(seen) {
  const countOnly = (count) => {
    seen.handled += count
    seen.lastAt = performance.now()
    if (seen.handled >= seen.target) seen.reached()
  }
  return Object.assign(() => countOnly(1), { countOnly })
}

function countingFree(seen) {
  return ({ key }) => {
    seen.handled++
    if (key === undefined && ++seen.free >= seen.target) seen.reached()
  }
}

/** Lateness since the submission; bulk submissions carry no time. */
function fromSubmit(seen) {
  return ({ at }) => {
    if (at > 0) seen.latenessMs.push(monotonicMs() - at)
    seen.lastAt = performance.now()
    seen.handled++
  }
}

/** Lateness since the instant the run was due. */
function fromDue(seen) {
  return ({ due }) => {
    seen.latenessMs.push(wallMs() - due)
    seen.handled++
  }
}

/** A handler that takes `holdMs`; it counts at its start. */
function holding(seen, holdMs) {
  return async ({ at }) => {
    seen.latenessMs.push(monotonicMs() - at)
    seen.handled++
    await sleep(holdMs)
  }
}

/**
 * When each run was due, when it started, and whether it belongs to the neighbour: three lists of
 * numbers and an incremental count, so that recording costs almost nothing compared with the work.
 */
class JobStarts {
  #dueMs = []
  #nowMs = []
  #neighbour = []
  #counted = { fromMs: 0, untilMs: 0, upTo: 0, count: 0 }

  add(dueMs, nowMs, neighbour) {
    this.#dueMs.push(dueMs)
    this.#nowMs.push(nowMs)
    this.#neighbour.push(neighbour ? 1 : 0)
  }

  /** Counts the started runs that were due in a window. */
  count(fromMs, untilMs) {
    if (this.#counted.fromMs !== fromMs || this.#counted.untilMs !== untilMs)
      this.#counted = { fromMs, untilMs, upTo: 0, count: 0 }
    const counted = this.#counted
    for (; counted.upTo < this.#dueMs.length; counted.upTo++) {
      const dueMs = this.#dueMs[counted.upTo]
      if (dueMs >= fromMs && dueMs < untilMs) counted.count++
    }
    return counted.count
  }

  dueBetween(fromMs, untilMs) {
    const starts = this.#dueMs.map((dueMs, i) => ({
      ...{ dueMs, nowMs: this.#nowMs[i], neighbour: this.#neighbour[i] === 1 },
    }))
    return starts.filter(({ dueMs }) => dueMs >= fromMs && dueMs < untilMs)
  }
}

function recording(jobs) {
  return ({ neighbour = false }, { dueAt }) => jobs.add(dueAt.getTime(), wallMs(), neighbour)
}

/** Summarizes the runs due in a window: the measured ones and the neighbour's. */
function summarize(due) {
  const summary = (some) => ({
    ...quantiles(some.map(({ dueMs, nowMs }) => nowMs - dueMs)),
    firstAtMs: some.reduce((first, { nowMs }) => Math.min(first, nowMs), Infinity),
    lastAtMs: some.reduce((last, { nowMs }) => Math.max(last, nowMs), 0),
    early: some.filter(({ dueMs, nowMs }) => nowMs - dueMs < -1).length,
  })
  return {
    measured: summary(due.filter(({ neighbour }) => !neighbour)),
    neighbour: summary(due.filter((start) => start.neighbour)),
  }
}

/** Notifies the bench at once, for one run at a time. */
function picked() {
  return ({ at }) => {
    process.send({ event: 'picked', at, ms: monotonicMs() - at })
  }
}
