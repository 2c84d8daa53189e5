/**
 * The workload of the campaign: jobs that fire every few seconds throughout, and submissions of
 * several kinds. It is declared once as plain data: the children declare it to the product, and the
 * checker independently computes from it what must have happened.
 */

/**
 * The behaviour of a handler; each kind has a handler of the same name. `transactional`
 * requests a transaction itself, `committed` is delivered in one, `once` is delivered at most once;
 * only remote workers run the `far` kinds.
 */
export const kinds = [
  ...(['quick', 'slow', 'flaky', 'transactional', 'committed', 'once'] as const),
  ...(['far', 'far-once'] as const),
]
export type Kind = (typeof kinds)[number]

export interface ChaosJob {
  readonly name: string
  readonly kind: Kind
  /** Fires at the anchor and at this interval after it. */
  readonly everyMs: number
  readonly anchorMs: number
  /** No slot at or after this time. */
  readonly endMs: number
  /** Equivalent to `everyMs` where that divides a minute and the anchor is a full minute. */
  readonly cron: string | null
  readonly overlap: 'allow' | 'skip'
}

/** The payload of a run; `ask` names a submission and is null for a run of a job. */
export interface ChaosPayload {
  readonly kind: Kind
  readonly ask: string | null
  readonly job: string | null
  /** The duration of the handler. */
  readonly takesMs: number
  /** Attempts up to this number throw. */
  readonly throwsUntil: number
  /** The crowd to which the run belongs. */
  readonly crowd?: string
}

/** Runs with a common concurrency limit, through their key or their queue. */
export interface Crowd {
  readonly name: string
  readonly by: 'key' | 'queue'
  readonly limit: number
}

export const crowds: readonly Crowd[] = [
  { name: 'one-at-once', by: 'key', limit: 1 },
  { name: 'another-at-once', by: 'key', limit: 1 },
  { name: 'two-at-once', by: 'key', limit: 2 },
  { name: 'narrow', by: 'queue', limit: 1 },
]

const CADENCES: readonly (readonly [everyMs: number, share: number])[] = [
  [1_000, 0.4],
  [2_000, 0.3],
  [3_000, 0.15],
  [5_000, 0.15],
]

/** Jobs that fire from one instant to another, each with about 0.6 slots a second. */
export function makeJobs(count: number, anchorMs: number, endMs: number): ChaosJob[] {
  const jobs: ChaosJob[] = []
  for (const [everyMs, share] of CADENCES)
    for (let i = 0; i < Math.max(1, Math.round(count * share)); i++)
      jobs.push(makeJob(jobs.length, everyMs, anchorMs, endMs))
  return jobs
}

function makeJob(index: number, everyMs: number, anchorMs: number, endMs: number): ChaosJob {
  const seconds = everyMs / 1_000
  // One of every five jobs uses cron, one commits its effect, one must not overlap.
  const byCron = index % 5 === 0 && 60 % seconds === 0
  return {
    name: `chaos-${index}-every-${seconds}s`,
    kind: index % 5 === 2 ? 'transactional' : 'quick',
    everyMs,
    // Cron counts from the full minute, and for such a job the checker does too.
    anchorMs: byCron ? Math.ceil(anchorMs / everyMs) * everyMs : anchorMs,
    endMs,
    cron: byCron ? `*/${seconds} * * * * *` : null,
    overlap: index % 5 === 3 ? 'skip' : 'allow',
  }
}

/** The slots of a job, by simple arithmetic that deliberately uses none of the product's code. */
export function expectedSlots(job: ChaosJob): number[] {
  const slots: number[] = []
  for (let atMs = job.anchorMs; atMs < job.endMs; atMs += job.everyMs) slots.push(atMs)
  return slots
}

/** Whether the kind is delivered at most once. */
export function isOnce(kind: Kind): boolean {
  return kind === 'once' || kind === 'far-once'
}

/** The kinds that a worker handles; without a database there are no transactions. */
export function kindsOf(worker: 'worker' | 'remote'): Kind[] {
  return kinds.filter((kind) =>
    worker === 'remote' ? !isTransactional(kind) : kind !== 'far' && kind !== 'far-once',
  )
}

/** Whether the effect is committed together with the success. */
export function isTransactional(kind: Kind): boolean {
  return kind === 'transactional' || kind === 'committed'
}
