/**
 * What the campaign asks of the product: jobs that fire every few seconds all along, and
 * submissions of several kinds. Declared once here as plain data, so that the children declare it
 * to the product and the checker computes from it what must have happened, each on its own.
 */

/**
 * What a handler does with a run; each kind has a handler of its own name. `transactional` asks for
 * a transaction itself, `committed` is delivered in one, `once` is delivered at most once; those that
 * are `far` only remote workers run.
 */
export const kinds = [
  ...(['quick', 'slow', 'flaky', 'transactional', 'committed', 'once'] as const),
  ...(['far', 'far-once'] as const),
]
export type Kind = (typeof kinds)[number]

export interface ChaosJob {
  readonly name: string
  readonly kind: Kind
  /** Fires at the anchor and every so often after it. */
  readonly everyMs: number
  readonly anchorMs: number
  /** No slot from here on. */
  readonly endMs: number
  /**
   * `cron` says the same as `everyMs` where that divides a minute and the anchor is a whole minute.
   */
  readonly cron: string | null
  readonly overlap: 'allow' | 'skip'
}

/** What a run carries; `ask` names a submission, and is null for a run of a job. */
export interface ChaosPayload {
  readonly kind: Kind
  readonly ask: string | null
  readonly job: string | null
  /** How long the handler takes. */
  readonly takesMs: number
  /** Attempts up to this one throw. */
  readonly throwsUntil: number
  /** Of those that may not all run at once: which. */
  readonly crowd?: string
}

/** Runs that may not all run at once: by a key of their own, or by their queue. */
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

/** Jobs that fire from one instant to another; about 0.6 slots a second for each of them. */
export function makeJobs(count: number, anchorMs: number, endMs: number): ChaosJob[] {
  const jobs: ChaosJob[] = []
  for (const [everyMs, share] of CADENCES)
    for (let i = 0; i < Math.max(1, Math.round(count * share)); i++)
      jobs.push(makeJob(jobs.length, everyMs, anchorMs, endMs))
  return jobs
}

function makeJob(index: number, everyMs: number, anchorMs: number, endMs: number): ChaosJob {
  const seconds = everyMs / 1_000
  // Of every five jobs one says it in cron, one commits its effect, one must not overlap.
  const byCron = index % 5 === 0 && 60 % seconds === 0
  return {
    name: `chaos-${index}-every-${seconds}s`,
    kind: index % 5 === 2 ? 'transactional' : 'quick',
    everyMs,
    // Cron counts from the minute: so does the checker, for such a job.
    anchorMs: byCron ? Math.ceil(anchorMs / everyMs) * everyMs : anchorMs,
    endMs,
    cron: byCron ? `*/${seconds} * * * * *` : null,
    overlap: index % 5 === 3 ? 'skip' : 'allow',
  }
}

/** When a job is to fire: simple arithmetic, on purpose none of the product's. */
export function expectedSlots(job: ChaosJob): number[] {
  const slots: number[] = []
  for (let atMs = job.anchorMs; atMs < job.endMs; atMs += job.everyMs) slots.push(atMs)
  return slots
}

/** Whether it is delivered at most once. */
export function isOnce(kind: Kind): boolean {
  return kind === 'once' || kind === 'far-once'
}

/** Which kinds a worker has handlers for; without a database there are no transactions. */
export function kindsOf(worker: 'worker' | 'remote'): Kind[] {
  return kinds.filter((kind) =>
    worker === 'remote' ? !isTransactional(kind) : kind !== 'far' && kind !== 'far-once',
  )
}

/** Whether its effect is committed together with its success. */
export function isTransactional(kind: Kind): boolean {
  return kind === 'transactional' || kind === 'committed'
}
