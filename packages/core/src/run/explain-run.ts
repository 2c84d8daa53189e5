/**
 * Explains why a run is not running: every obstacle, in the order in which they must be cleared.
 * Pure: the store reads the facts. A due run that waits always has a reason: without any other
 * obstacle, other runs are before it.
 */
import { isFinal, isStarted, type RunState } from './run-state.ts'

/**
 * A worker that has the handler of a run. A tenant sees of a worker for all tenants only that it
 * exists: `host`, `held` and `capacity` are null then.
 */
export interface WorkerInReach {
  /** The id of the worker. */
  readonly id: string
  /** The host name of its machine. */
  readonly host: string | null
  /** How many runs it holds. */
  readonly held: number | null
  /** How many runs it may execute at the same time. */
  readonly capacity: number | null
}

/**
 * A run that its concurrency key has admitted and that has not started: it holds a place like the
 * running ones.
 */
export interface AdmittedRun {
  /** The id of the run. */
  readonly run: string
  /** The queue in which it waits for a worker. */
  readonly queue: string
  /** Its handler. */
  readonly handler: string
  /**
   * Why no worker can claim it: its queue is paused, or no live worker has its handler. Null when a
   * worker can.
   */
  readonly why: 'paused' | 'no_worker' | null
}

/** One obstacle to running: `code` identifies it, `detail` describes it in a sentence. */
export type RunObstacle = { readonly detail: string } & (
  | { readonly code: 'ended'; readonly state: RunState; readonly at: Date | null }
  | { readonly code: 'not_due'; readonly until: Date }
  | { readonly code: 'retry_at'; readonly until: Date; readonly attempts: number }
  | { readonly code: 'rate_limited'; readonly key: string; readonly until: Date }
  | { readonly code: 'overlap'; readonly job: string; readonly heldBy: string | null }
  | {
      readonly code: 'concurrency'
      readonly key: string
      readonly limit: number
      readonly heldBy: readonly string[]
      /** The first hundred admitted runs that have not started. */
      readonly admitted: readonly AdmittedRun[]
    }
  | {
      readonly code: 'tenant_suspended'
      readonly since: Date
      readonly by: string | null
      readonly note: string | null
    }
  | {
      readonly code: 'paused'
      /** Null when all queues are paused. */
      readonly queue: string | null
      readonly since: Date
      readonly by: string | null
      readonly note: string | null
    }
  | { readonly code: 'no_worker'; readonly handler: string; readonly queue: string }
  | { readonly code: 'worker_lost'; readonly worker: string; readonly since: Date }
  | { readonly code: 'workers_draining'; readonly workers: readonly WorkerInReach[] }
  | {
      readonly code: 'limit_concurrency'
      readonly queue: string | null
      readonly limit: number
      readonly running: number
    }
  | { readonly code: 'limit_rate'; readonly queue: string | null; readonly until: Date }
  | { readonly code: 'workers_full'; readonly workers: readonly WorkerInReach[] }
  | {
      readonly code: 'behind_others'
      readonly ahead: number
      readonly workers: readonly WorkerInReach[]
    }
)

/** Whether a run is running, and the obstacles if it is not. */
export interface RunExplanation {
  /** Whether a connected worker holds it. */
  readonly running: boolean
  /** The obstacles, in the order in which they must be cleared; empty when it is running. */
  readonly reasons: readonly RunObstacle[]
}

interface WorkerFacts {
  readonly id: string
  readonly host: string
  readonly held: number
  readonly capacity: number
  /** Whether it works for the tenant alone. */
  readonly own: boolean
  readonly alive: boolean
  readonly drains: boolean
  readonly renewedAt: Date
}

export interface RunFacts {
  readonly state: RunState
  readonly handler: string
  readonly queue: string
  readonly job: string | null
  readonly attempts: number
  readonly nextAt: Date | null
  readonly finishedAt: Date | null
  /** When its rate allows it to start; null when no rate delays it. */
  readonly rate: { readonly key: string; readonly bookedAt: Date } | null
  /**
   * For a run that waits for its concurrency key: the key, the runs that hold its places, and the
   * admitted runs.
   */
  readonly gate: {
    readonly key: string
    readonly limit: number
    readonly heldBy: readonly string[]
    readonly admitted: readonly AdmittedRun[]
  } | null
  /**
   * For a run that waits for its job: the run that holds the job; null when the job has just been
   * freed.
   */
  readonly jobHeldBy: string | null
  readonly pauses: readonly {
    readonly queue: string | null
    readonly since: Date
    readonly by: string | null
    readonly note: string | null
    readonly ofSuspension: boolean
  }[]
  readonly limits: readonly {
    readonly queue: string | null
    readonly concurrency: number | null
    readonly running: number
    readonly freeAt: Date | null
  }[]
  readonly workers: readonly WorkerFacts[]
  /** Whether the caller may see the details of workers that work for all tenants. */
  readonly showsFleet: boolean
  /** The worker that holds it, when it is leased. */
  readonly heldBy: { readonly worker: string; readonly lostSince: Date | null } | null
  /** How many due runs precede it in its lane. */
  readonly ahead: number
}

const at = (date: Date) => date.toISOString()
const named = (workers: readonly WorkerInReach[]) =>
  workers
    .map(({ id, host, held, capacity }) =>
      host === null ? id : `${id} on ${host} (${held} of ${capacity})`,
    )
    .join(', ')

function visible(workers: readonly WorkerFacts[], { showsFleet }: RunFacts): WorkerInReach[] {
  return workers.map(({ id, host, held, capacity, own }) =>
    own || showsFleet
      ? { id, host, held, capacity }
      : { id, host: null, held: null, capacity: null },
  )
}

export function explainRun(facts: RunFacts): RunExplanation {
  const { state, heldBy } = facts
  if (isFinal(state)) {
    const detail = `The run has ended: it is ${state}.`
    return { running: false, reasons: [{ code: 'ended', detail, state, at: facts.finishedAt }] }
  }
  if (state === 'awaiting' || (heldBy === null && isStarted(state)))
    return { running: true, reasons: [] }
  if (heldBy === null)
    return { running: false, reasons: [...waitsFor(facts), ...heldUp(facts), ...noRoom(facts)] }
  const { worker, lostSince } = heldBy
  if (lostSince === null) return { running: true, reasons: [] }
  const detail = `Worker ${worker}, which holds the run, has sent no heartbeat since ${at(lostSince)}; the reaper takes the run back, and it is retried.`
  return { running: false, reasons: [{ code: 'worker_lost', detail, worker, since: lostSince }] }
}

/** Returns what the run itself waits for: its time, its rate, its key or its job. */
function waitsFor(facts: RunFacts): RunObstacle[] {
  const { state, nextAt, attempts, rate, gate } = facts
  if (state === 'scheduled' && nextAt) {
    if (rate && rate.bookedAt.getTime() >= nextAt.getTime() - 1_000) {
      const detail = `The rate limit of its key ${rate.key} is used up; it may start at ${at(nextAt)}.`
      return [{ code: 'rate_limited', detail, key: rate.key, until: nextAt }]
    }
    if (attempts > 0) {
      const detail = `${attempts} of its attempts failed; the next one is due at ${at(nextAt)}.`
      return [{ code: 'retry_at', detail, until: nextAt, attempts }]
    }
    return [{ code: 'not_due', detail: `The run is due at ${at(nextAt)}.`, until: nextAt }]
  }
  if (state !== 'waiting') return []
  if (gate) {
    const { heldBy, admitted } = gate
    const placed = [
      ...(heldBy.length === 0 ? [] : [`running: ${heldBy.join(', ')}`]),
      ...(admitted.length === 0
        ? []
        : [`admitted but not started: ${admitted.map(blockedText).join(', ')}`]),
    ]
    const who =
      placed.length === 0 ? 'a place is free, and it is about to be admitted' : placed.join('; ')
    const detail = `At most ${gate.limit} runs with its concurrency key ${gate.key} may run at the same time; ${who}.`
    return [{ code: 'concurrency', detail, ...gate }]
  }
  const { job, jobHeldBy: holder } = facts
  const detail = holder
    ? `Run ${holder} of its job is running; this run starts when that one has ended.`
    : 'Another run of its job has just ended; this run is about to be released.'
  return [{ code: 'overlap', detail, job: job ?? '', heldBy: holder }]
}

function blockedText({ run, queue, handler, why }: AdmittedRun): string {
  if (why === 'paused') return `${run} (its queue ${queue} is paused)`
  if (why === null) return run
  return `${run} (no live worker has the handler ${handler} for the queue ${queue})`
}

/** Returns what prevents every worker from claiming it. */
function heldUp(facts: RunFacts): RunObstacle[] {
  const { pauses, queue, handler, workers } = facts
  const reasons: RunObstacle[] = pauses.map(({ ofSuspension, queue: paused, since, by, note }) => {
    const who = `since ${at(since)}${by === null ? '' : ` by ${by}`}${note === null ? '' : `: ${note}`}`
    if (ofSuspension)
      return { code: 'tenant_suspended', detail: `The tenant is suspended ${who}`, since, by, note }
    const what = paused === null ? 'Every queue is' : `The queue ${paused} is`
    return { code: 'paused', detail: `${what} paused ${who}`, queue: paused, since, by, note }
  })
  const alive = workers.filter((worker) => worker.alive)
  if (alive.length === 0) {
    const detail = `No live worker has the handler ${handler} for the queue ${queue}. Start one; until then the run waits.`
    return [...reasons, { code: 'no_worker', detail, handler, queue }]
  }
  if (alive.some(({ drains }) => !drains)) return reasons
  const draining = visible(alive, facts)
  const detail = `Every worker that has its handler is draining and claims no more runs: ${named(draining)}.`
  return [...reasons, { code: 'workers_draining', detail, workers: draining }]
}

/** Returns what delays a due run that workers may claim. */
function noRoom(facts: RunFacts): RunObstacle[] {
  if (facts.state !== 'queued') return []
  const reasons = facts.limits.flatMap(({ queue, concurrency, running, freeAt }): RunObstacle[] => {
    const whose = queue === null ? 'all queues together' : `the queue ${queue}`
    if (concurrency !== null && running >= concurrency) {
      const detail = `${running} runs are running, and the limit of ${whose} is ${concurrency}.`
      return [{ code: 'limit_concurrency', detail, queue, limit: concurrency, running }]
    }
    if (freeAt === null) return []
    const detail = `The rate limit of ${whose} is used up; the next run may start at ${at(freeAt)}.`
    return [{ code: 'limit_rate', detail, queue, until: freeAt }]
  })
  const open = facts.workers.filter(({ alive, drains }) => alive && !drains)
  if (open.length === 0) return reasons
  const workers = visible(open, facts)
  // Row security shows a tenant its own runs only, so what else a worker for all tenants holds is
  // unknown here.
  const isKnown = open.every(({ own }) => own || facts.showsFleet)
  if (isKnown && open.every(({ held, capacity }) => held >= capacity)) {
    const detail = `Every worker that has its handler is at capacity: ${named(workers)}.`
    return [...reasons, { code: 'workers_full', detail, workers }]
  }
  if (reasons.length > 0 || facts.pauses.length > 0) return reasons
  const { ahead } = facts
  const before =
    ahead === 0 ? 'it is the next run of its lane' : `${ahead} due runs of its lane precede it`
  const detail = isKnown
    ? `Workers that have its handler have capacity: ${before}.`
    : `Workers that serve all tenants have its handler, but their load is not visible to a tenant: ${before}.`
  return [{ code: 'behind_others', detail, ahead, workers }]
}
