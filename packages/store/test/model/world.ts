/**
 * The two sides of the model test: the expected state (data) and the real state (PostgreSQL). After
 * every command the fifteen invariants are checked, and each run is compared with its model.
 */
import type { Overlap } from '@punctual/core/job'
import type { ClaimedRun } from '@punctual/core/ports'
import { finalStateOf, type Place, traits } from '@punctual/core/run'
import type { PostgresStore } from '@punctual/store'
import { checkInvariants, type ModelRun, type TestStore } from '@punctual/testkit'
import type fc from 'fast-check'
import { expect } from 'vitest'

export interface ModelWorker {
  session: string
  /** The lease has not expired. */
  alive: boolean
  /** The reaper has taken its runs. */
  gone: boolean
  /**
   * The runs it believes to hold; after it was reaped, it is a zombie that still tries to settle.
   */
  held: ClaimedRun[]
}

export interface Model {
  readonly runs: Map<string, ModelRun>
  readonly workers: ModelWorker[]
  /** Existing jobs, by name. */
  readonly jobs: Map<string, { readonly id: string; paused: boolean }>
  /** Offset of the planners' time ahead of the database's clock. */
  aheadMs: number
}

export interface Real {
  readonly t: TestStore
  /** Another process on the same database. */
  readonly rival: PostgresStore
  /** How often each kind of command was performed. */
  readonly performed: Map<string, number>
}

export type Command = fc.AsyncCommand<Model, Real>

/**
 * Runs that may be elsewhere than the model says, because the command leaves the choice to the
 * store.
 */
export interface Leeway {
  readonly makes?: (run: ModelRun) => boolean
  readonly moves?: (before: ModelRun, now: ModelRun) => boolean
}

type Perform = (model: Model, real: Real) => Promise<Leeway | undefined>

export function command(
  name: string,
  check: (model: Readonly<Model>) => boolean,
  perform: Perform,
): Command {
  return {
    check,
    toString: () => name,
    async run(model, real) {
      const kind = name.replaceAll(/\(.*?\)/g, '')
      real.performed.set(kind, (real.performed.get(kind) ?? 0) + 1)
      const leeway = await perform(model, real)
      await agree(model, real, leeway ?? {})
    },
  }
}

/** Indexed by the number stored in the traits of a run. */
export const OVERLAPS: readonly Overlap[] = [
  ...(['allow', 'skip', 'queue-one', 'queue-all'] as const),
  ...(['cancel-previous', 'terminate-previous'] as const),
]

/** The actual state of every run, from one snapshot. */
const SEEN = `
  select r.id, r.key, r.max_attempts, coalesce(p.traits, r.traits) as traits, r.job_id,
    coalesce(p.place, 'nowhere') as place, coalesce(p.due, true) as due, coalesce(p.attempt, o.attempt) as attempt,
    coalesce(p.crashes, o.crashes) as crashes, p.fence::text, p.session_id::text, p.marked, p.cancelling, o.state,
    exists (select from punctual.job_holds h where h.run_id = r.id) as holds
  from punctual.runs r
  left join (
    select run_id, 'later' as place, due_at <= clock_timestamp() + interval '60 s' as due, attempt, crashes, traits,
      null::bigint as fence, null::bigint as session_id, null::boolean as marked, null::boolean as cancelling
    from punctual.later
    union all
    select run_id, 'queue', pos >> 20 <= extract(epoch from clock_timestamp()) * 1000, attempt, crashes, traits,
      null, null, null, null
    from punctual.queue
    union all
    select run_id, 'parked', true, attempt, crashes, traits, null, null, null, null from punctual.parked
    union all
    select run_id, 'leases', true, attempt, crashes, traits, fence, session_id, started_at is not null,
      cancel_reason is not null
    from punctual.leases
  ) p on p.run_id = r.id
  left join punctual.outcomes o on o.run_id = r.id`

function seenRun(row: Record<string, unknown>): ModelRun {
  const bits = row.traits as number
  const { fence, session_id: session, marked, cancelling } = row
  return {
    id: row.id as string,
    key: row.key as string | null,
    maxAttempts: row.max_attempts as number,
    atMostOnce: (bits & traits.atMostOnce) !== 0,
    jobId: row.job_id as string | null,
    overlap: OVERLAPS[(bits >> traits.overlapShift) & 7] as Overlap,
    place: (row.state === null ? row.place : 'outcomes') as Exclude<Place, 'nowhere'>,
    due: row.due as boolean,
    attempt: row.attempt as number,
    crashes: row.crashes as number,
    lease: fence === null ? null : ({ fence, session, marked, cancelling } as ModelRun['lease']),
    holds: row.holds as boolean,
    final: row.state === null ? null : (finalStateOf.get(row.state as number) ?? null),
  }
}

async function seen(real: Real): Promise<ModelRun[]> {
  const { rows } = await real.t.sql.query({ name: 'seen', text: SEEN, values: [] })
  return rows.map(seenRun)
}

/** Without `due`, which changes as time passes. */
const compared = ({ due, ...run }: ModelRun) => run

const differs = (a: ModelRun, b: ModelRun) =>
  JSON.stringify(compared(a)) !== JSON.stringify(compared(b))

/** Ending a run may release the first parked run of the same job. */
function isReleased(model: Model, before: ModelRun, now: ModelRun): boolean {
  if (before.place !== 'parked' || now.place !== 'queue') return false
  return ![...model.runs.values()].some((run) => run.jobId === now.jobId && run.holds)
}

async function agree(model: Model, real: Real, leeway: Leeway = {}): Promise<void> {
  expect(await checkInvariants(real.t.sql)).toEqual([])
  const runs = await seen(real)
  const differing: ModelRun[] = []
  for (const now of runs) {
    const before = model.runs.get(now.id)
    const allowed = before ? leeway.moves?.(before, now) : leeway.makes?.(now)
    if (before && !differs(before, now)) continue
    if (allowed) model.runs.set(now.id, now)
    else differing.push(now)
  }
  for (const now of differing) {
    const before = model.runs.get(now.id)
    expect(before, `unexpected run: ${JSON.stringify(now)}`).toBeDefined()
    if (before && isReleased(model, before, now)) model.runs.set(now.id, now)
    else expect(compared(now), 'the run matches the model').toEqual(before && compared(before))
  }
  expect(runs.length, 'no run is missing').toBe(model.runs.size)
}

/** Changes the model of a run. */
export function change(model: Model, id: string, by: (run: ModelRun) => ModelRun): void {
  const run = model.runs.get(id)
  if (!run) throw new Error(`The model does not know run ${id}.`)
  model.runs.set(id, by(run))
}

export function pick<T>(from: Iterable<T>, n: number): T | undefined {
  const all = [...from]
  return all.length === 0 ? undefined : all[n % all.length]
}
