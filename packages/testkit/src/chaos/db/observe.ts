/** Reads the final state of the tables with plain SQL, without the product. */
import type { ObservedAttempt, ObservedRun, ObservedSlot } from '../plan/evidence.ts'
import type { ChaosPayload } from '../plan/workload.ts'
import type { Cluster } from './cluster.ts'

const STATES = ['', 'succeeded', 'dead', 'cancelled', 'skipped', 'unknown']
const ATTEMPTS = ['', 'succeeded', 'failed', 'timed_out', 'crashed', 'cancelled', 'terminated']

interface RunRow {
  id: string
  job: string | null
  slot_ms: string | null
  due_ms: string
  payload: string
  state: number | null
  outcomes: string
  fence: string | null
  attempt_outcome: number | null
  output: string | null
  reason: string | null
  finished_ms: string | null
  earlier: { fence: string | null; outcome: number }[] | null
  effects: string
  refused: string[]
}

const ms = (column: string) => `round(extract(epoch from ${column}) * 1000)::bigint::text`

const RUNS = `
  select
    r.id, j.name as job, ${ms('r.slot_at')} as slot_ms, ${ms('r.due_at')} as due_ms, r.payload,
    o.state, (select count(*) from punctual.outcomes c where c.run_id = r.id) as outcomes,
    o.fence::text as fence, o.attempt_outcome, o.output, o.reason,
    ${ms('o.finished_at')} as finished_ms,
    (select json_agg(
       json_build_object('fence', a.fence::text, 'outcome', a.outcome) order by a.attempt)
     from punctual.attempts a where a.run_id = r.id) as earlier,
    (select count(*) from chaos_effects e where e.run_id = r.id) as effects,
    array(select s.fence::text from punctual.stale_settles s where s.run_id = r.id) as refused
  from punctual.runs r
  left join punctual.jobs j on j.id = r.job_id
  left join lateral (select * from punctual.outcomes o where o.run_id = r.id limit 1) o on true`

export async function observeRuns(cluster: Cluster): Promise<ObservedRun[]> {
  const rows = await cluster.query<RunRow>(RUNS)
  return rows.map((row) => ({
    id: row.id,
    job: row.job,
    slotMs: row.slot_ms === null ? null : Number(row.slot_ms),
    dueMs: Number(row.due_ms),
    payload: JSON.parse(row.payload) as ChaosPayload,
    state: row.state === null ? null : (STATES[row.state] ?? String(row.state)),
    outcomes: Number(row.outcomes),
    fence: row.fence,
    output: row.output === null ? null : (JSON.parse(row.output) as { fence: string | null }),
    reason: row.reason,
    finishedMs: row.finished_ms === null ? null : Number(row.finished_ms),
    attempts: attemptsOf(row),
    effects: Number(row.effects),
    refused: row.refused,
  }))
}

function attemptsOf(row: RunRow): ObservedAttempt[] {
  const named = (fence: string | null, outcome: number) => {
    return { fence, outcome: ATTEMPTS[outcome] ?? String(outcome) }
  }
  const earlier = (row.earlier ?? []).map((attempt) => named(attempt.fence, attempt.outcome))
  return row.attempt_outcome === null
    ? earlier
    : [...earlier, named(row.fence, row.attempt_outcome)]
}

interface SlotRow {
  job: string
  slot_ms: string
  run_id: string | null
  slots: number
}

export async function observeSlots(cluster: Cluster): Promise<ObservedSlot[]> {
  const rows = await cluster.query<SlotRow>(
    `select j.name as job, ${ms('s.slot_at')} as slot_ms, s.run_id, s.slots
     from punctual.slots s join punctual.jobs j on j.id = s.job_id`,
  )
  return rows.map(({ job, slot_ms, run_id, slots }) => {
    return { job, slotMs: Number(slot_ms), run: run_id, slots }
  })
}

export async function countStrayEffects(cluster: Cluster): Promise<number> {
  const [row] = await cluster.query<{ count: string }>(
    `select count(*) from chaos_effects e
     where not exists (select from punctual.runs r where r.id = e.run_id)`,
  )
  return Number(row?.count)
}

/** Counts what is still held when no run is live: keys of runs, and jobs that must not overlap. */
export async function countHeld(cluster: Cluster): Promise<number> {
  const [row] = await cluster.query<{ count: string }>(
    `select count(*) from (
       select run_id from punctual.live_keys union all select run_id from punctual.job_holds) h
     where exists (select from punctual.outcomes o where o.run_id = h.run_id)`,
  )
  return Number(row?.count)
}

export interface Live {
  readonly queue: number
  readonly later: number
  readonly parked: number
  readonly leases: number
}

/** Counts the runs that have not ended. */
export async function countLive(cluster: Cluster): Promise<Live> {
  const [row] = await cluster.query<Record<keyof Live, string>>(
    `select
      (select count(*) from punctual.queue) as queue,
      (select count(*) from punctual.later) as later,
      (select count(*) from punctual.parked) as parked,
      (select count(*) from punctual.leases) as leases`,
  )
  const count = (place: keyof Live) => Number(row?.[place])
  return {
    ...{ queue: count('queue'), later: count('later') },
    ...{ parked: count('parked'), leases: count('leases') },
  }
}

/** Counts the jobs that still have an undecided slot. */
export async function countUnplanned(cluster: Cluster): Promise<number> {
  const [row] = await cluster.query<{ count: string }>(
    'select count(*) from punctual.cursors where next_at is not null',
  )
  return Number(row?.count)
}
