/**
 * Why a run is not running now: every reason that stands in its way, in the order in which they have to go. Facts in,
 * reasons out; whoever reads the facts is elsewhere. A run that is due and waits always has a reason: where nothing else
 * stands in its way, others are before it.
 */
import { isFinal, type RunState } from './run-state.ts'

/**
 * A worker that has the handler of a run. Of one that works for all, a tenant is told that it is there: its host, and what
 * it holds of others, are null then.
 */
export interface WorkerInReach {
  /** Its id. */
  readonly id: string
  /** The machine that it is on. */
  readonly host: string | null
  /** How many runs it holds. */
  readonly held: number | null
  /** How many it runs at once. */
  readonly capacity: number | null
}

/** A run that was let through its concurrency key and has not started: it has a place, as those that go on have. */
export interface LetThroughRun {
  /** Its id. */
  readonly run: string
  /** Where it waits for a worker. */
  readonly queue: string
  /** What is to run it. */
  readonly handler: string
  /** Why nobody can take it now: its queue is paused, or no live worker has its handler. Null when somebody can. */
  readonly why: 'paused' | 'no_worker' | null
}

/** One thing that keeps a run from running: `code` says what, `detail` says it in words. */
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
      /** The first hundred of them. */
      readonly letThrough: readonly LetThroughRun[]
    }
  | {
      readonly code: 'tenant_suspended'
      readonly since: Date
      readonly by: string | null
      readonly note: string | null
    }
  | {
      readonly code: 'paused'
      /** Null when everything is paused. */
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

/** Whether a run runs, and if not, why not. */
export interface RunExplanation {
  /** A worker has it, and is there. */
  readonly running: boolean
  /** What stands in its way; empty when it runs. */
  readonly reasons: readonly RunObstacle[]
}

interface WorkerFacts {
  readonly id: string
  readonly host: string
  readonly held: number
  readonly capacity: number
  /** It works for the tenant alone. */
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
  /** When its rate lets it start; null when no rate holds it. */
  readonly rate: { readonly key: string; readonly bookedAt: Date } | null
  /** Of one that waits for its key: the key, which runs have its places, and which are about to. */
  readonly gate: {
    readonly key: string
    readonly limit: number
    readonly heldBy: readonly string[]
    readonly letThrough: readonly LetThroughRun[]
  } | null
  /** Of one that waits for its job: the run that holds it; null when it was freed just now. */
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
  /** Whether everything of workers that work for all may be told. */
  readonly tellsFleet: boolean
  /** The worker that holds it, when it is leased. */
  readonly heldBy: { readonly worker: string; readonly lostSince: Date | null } | null
  /** How many due runs are before it in its lane. */
  readonly ahead: number
}

const at = (date: Date) => date.toISOString()
const named = (workers: readonly WorkerInReach[]) =>
  workers
    .map(({ id, host, held, capacity }) =>
      host === null ? id : `${id} on ${host} (${held} of ${capacity})`,
    )
    .join(', ')

function told(workers: readonly WorkerFacts[], { tellsFleet }: RunFacts): WorkerInReach[] {
  return workers.map(({ id, host, held, capacity, own }) =>
    own || tellsFleet
      ? { id, host, held, capacity }
      : { id, host: null, held: null, capacity: null },
  )
}

export function explainRun(facts: RunFacts): RunExplanation {
  const { state, heldBy } = facts
  if (isFinal(state)) {
    const detail = `It has ended: it is ${state}.`
    return { running: false, reasons: [{ code: 'ended', detail, state, at: facts.finishedAt }] }
  }
  if (heldBy === null && (state === 'running' || state === 'cancelling'))
    return { running: true, reasons: [] }
  if (heldBy === null)
    return { running: false, reasons: [...waitsFor(facts), ...heldUp(facts), ...noRoom(facts)] }
  const { worker, lostSince } = heldBy
  if (lostSince === null) return { running: true, reasons: [] }
  const detail = `Worker ${worker}, which has it, was not heard of since ${at(lostSince)}; it is taken back and tried again.`
  return { running: false, reasons: [{ code: 'worker_lost', detail, worker, since: lostSince }] }
}

/** What it waits for by itself: its time, its rate, its key, its job. */
function waitsFor(facts: RunFacts): RunObstacle[] {
  const { state, nextAt, attempts, rate, gate } = facts
  if (state === 'scheduled' && nextAt) {
    if (rate && rate.bookedAt.getTime() >= nextAt.getTime() - 1_000) {
      const detail = `The rate of its key ${rate.key} is used up; its turn is at ${at(nextAt)}.`
      return [{ code: 'rate_limited', detail, key: rate.key, until: nextAt }]
    }
    if (attempts > 0) {
      const detail = `${attempts} of its attempts failed; the next one is due at ${at(nextAt)}.`
      return [{ code: 'retry_at', detail, until: nextAt, attempts }]
    }
    return [{ code: 'not_due', detail: `It is due at ${at(nextAt)}.`, until: nextAt }]
  }
  if (state !== 'waiting') return []
  if (gate) {
    const { heldBy, letThrough } = gate
    const placed = [
      ...(heldBy.length === 0 ? [] : [`now: ${heldBy.join(', ')}`]),
      ...(letThrough.length === 0
        ? []
        : [`let through, and not started: ${letThrough.map(blockedText).join(', ')}`]),
    ]
    const who = placed.length === 0 ? 'a place is free, and its turn comes' : placed.join('; ')
    const detail = `${gate.limit} of its concurrency key ${gate.key} may go on at once; ${who}.`
    return [{ code: 'concurrency', detail, ...gate }]
  }
  const { job, jobHeldBy: holder } = facts
  const detail = holder
    ? `Run ${holder} of its job goes on; it starts when that has ended.`
    : 'Another run of its job has just ended; its turn comes.'
  return [{ code: 'overlap', detail, job: job ?? '', heldBy: holder }]
}

function blockedText({ run, queue, handler, why }: LetThroughRun): string {
  if (why === 'paused') return `${run} (its queue ${queue} is paused)`
  if (why === null) return run
  return `${run} (no live worker has the handler ${handler} for the queue ${queue})`
}

/** What keeps every worker from taking it. */
function heldUp(facts: RunFacts): RunObstacle[] {
  const { pauses, queue, handler, workers } = facts
  const reasons: RunObstacle[] = pauses.map(({ ofSuspension, queue: of, since, by, note }) => {
    const who = `since ${at(since)}${by === null ? '' : ` by ${by}`}${note === null ? '' : `: ${note}`}`
    if (ofSuspension)
      return { code: 'tenant_suspended', detail: `The tenant is suspended ${who}`, since, by, note }
    const what = of === null ? 'Everything is' : `The queue ${of} is`
    return { code: 'paused', detail: `${what} paused ${who}`, queue: of, since, by, note }
  })
  const alive = workers.filter((worker) => worker.alive)
  if (alive.length === 0) {
    const detail = `No live worker has the handler ${handler} for the queue ${queue}. Start one; the run waits.`
    return [...reasons, { code: 'no_worker', detail, handler, queue }]
  }
  if (alive.some(({ drains }) => !drains)) return reasons
  const draining = told(alive, facts)
  const detail = `Every worker that has its handler drains and takes nothing more: ${named(draining)}.`
  return [...reasons, { code: 'workers_draining', detail, workers: draining }]
}

/** What keeps one that is due, and that workers may take, from its turn. */
function noRoom(facts: RunFacts): RunObstacle[] {
  if (facts.state !== 'queued') return []
  const reasons = facts.limits.flatMap(({ queue, concurrency, running, freeAt }): RunObstacle[] => {
    const whose = queue === null ? 'all queues together' : `the queue ${queue}`
    if (concurrency !== null && running >= concurrency) {
      const detail = `${running} runs go on, and ${whose} may have ${concurrency}.`
      return [{ code: 'limit_concurrency', detail, queue, limit: concurrency, running }]
    }
    if (freeAt === null) return []
    const detail = `The rate of ${whose} is used up; the next run may start at ${at(freeAt)}.`
    return [{ code: 'limit_rate', detail, queue, until: freeAt }]
  })
  const open = facts.workers.filter(({ alive, drains }) => alive && !drains)
  if (open.length === 0) return reasons
  const workers = told(open, facts)
  // Behind its wall a tenant sees its own runs only: what else a worker for all holds is not known there.
  const isKnown = open.every(({ own }) => own || facts.tellsFleet)
  if (isKnown && open.every(({ held, capacity }) => held >= capacity)) {
    const detail = `Every worker that has its handler is full: ${named(workers)}.`
    return [...reasons, { code: 'workers_full', detail, workers }]
  }
  if (reasons.length > 0 || facts.pauses.length > 0) return reasons
  const { ahead } = facts
  const before = ahead === 0 ? 'it is the next one of its lane' : `${ahead} are before it`
  const detail = isKnown
    ? `Workers have its handler and room: ${before}.`
    : `Workers that serve all tenants have its handler, and what they hold of others is not told: ${before}.`
  return [{ code: 'behind_others', detail, ahead, workers }]
}
