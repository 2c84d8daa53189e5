/**
 * The floor of planning: what PostgreSQL itself needs to turn due slots into runs. It imports
 * nothing of the product, only the driver, and does what no planner can leave out: it reads the
 * cursors that are due, shard by shard; and in one transaction it moves each cursor if it is
 * unchanged, and writes the decision, the run and its place in the queue, with the job's payload.
 *
 * It does not: compute a schedule (each job fires once in a fixed period), know calendars, skips,
 * misfires, jitter, overlap, tenants or limits, race another planner for long, or keep an index of
 * runs by lane or by job.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'

const BATCH = 2_000
const SHARDS = Array.from({ length: 256 }, (_, n) => n - 128)

const HOT = `with (vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0)`

const SCHEMA = `
create schema plan_floor;
set search_path = plan_floor;
create table jobs (
  id uuid not null, tenant_id integer not null, lane integer not null, timeout_ms integer not null,
  max_attempts smallint not null, traits smallint not null, name text not null, payload text not null
);
create table cursors (
  job_id uuid not null, next_at timestamptz, cursor_at timestamptz not null,
  version integer not null, shard smallint not null
) with (fillfactor = 80);
create table slots (
  slot_at timestamptz not null, job_id uuid not null, run_id uuid, decided_at timestamptz not null,
  tenant_id integer not null, decision smallint not null, primary key (slot_at, job_id)
);
create table runs (
  id uuid primary key, due_at timestamptz not null, created_at timestamptz not null,
  tenant_id integer not null, lane integer not null, timeout_ms integer not null,
  max_attempts smallint not null, traits smallint not null, payload text not null,
  job_id uuid, slot_at timestamptz
);
create table queue (
  run_id uuid primary key, pos bigint not null, lane integer not null, attempt smallint not null,
  job_id uuid
) ${HOT};
create index queue_lane_pos on queue (lane, pos);`

const LOAD = `
with made as (
  insert into plan_floor.jobs
  select
    (lpad(to_hex($2::bigint + i / 10), 12, '0') || '7' || lpad(to_hex(i % 10), 3, '0')
      || '8' || right(md5(i::text), 15))::uuid,
    1, 1, 300000, 3, 48, 'job-' || i, $3::text
  from generate_series(0, $1::bigint - 1) as i
  returning id
)
insert into plan_floor.cursors
select
  id, to_timestamp(floor($4::float8 + $5::float8 * random()) / 1000), to_timestamp($4::float8 / 1000), 1,
  get_byte(uuid_send(id), 15) - 128
from made`

const INDEXES = [
  'alter table plan_floor.jobs add primary key (id)',
  'alter table plan_floor.cursors add primary key (job_id)',
  'create index cursors_due on plan_floor.cursors (shard, next_at) where next_at is not null',
  'vacuum (freeze, analyze) plan_floor.jobs',
  'vacuum (freeze, analyze) plan_floor.cursors',
]

const DUE = `
select array_agg(job_id)::text as ids, array_agg(next_ms)::text as next_ms
from (
  select job_id, (date_part('epoch', next_at) * 1000)::bigint as next_ms
  from unnest($1::smallint[]) as s (shard)
  cross join lateral (
    select job_id, next_at from plan_floor.cursors
    where shard = s.shard and next_at <= to_timestamp($2::float8 / 1000)
    order by next_at limit ${BATCH}
  ) c
  limit ${BATCH}
) due`

/** $1 job ids, $2 slots in ms, $3 run ids, $4 period in ms, $5 first sequence number */
const PLAN = `
with given as materialized (
  select * from unnest($1::uuid[], $2::bigint[], $3::uuid[]) with ordinality
    as g (job_id, slot_ms, run_id, n)
), locked as materialized (
  select c.place, g.* from given g cross join lateral (
    select ctid as place from plan_floor.cursors
    where job_id = g.job_id and next_at = to_timestamp(g.slot_ms::float8 / 1000) and version = 1
    for update skip locked
  ) c
), moved as (
  update plan_floor.cursors c
  set next_at = to_timestamp((l.slot_ms + $4::bigint)::float8 / 1000),
    cursor_at = to_timestamp(l.slot_ms::float8 / 1000)
  from locked l where c.ctid = l.place
  returning l.n, l.job_id, l.slot_ms, l.run_id
), input as materialized (
  select m.*, j.* from moved m cross join lateral (
    select tenant_id, lane, timeout_ms, max_attempts, traits, payload
    from plan_floor.jobs where id = m.job_id limit 1
  ) j
), ledger as (
  insert into plan_floor.slots
  select to_timestamp(slot_ms::float8 / 1000), job_id, run_id, statement_timestamp(), tenant_id, 1
  from input
), made as (
  insert into plan_floor.runs
  select run_id, to_timestamp(slot_ms::float8 / 1000), statement_timestamp(), tenant_id, lane,
    timeout_ms, max_attempts, traits, payload, job_id, to_timestamp(slot_ms::float8 / 1000)
  from input
), queued as (
  insert into plan_floor.queue
  select run_id, (slot_ms << 20) | (($5::bigint + n) & 1048575), lane, 0, job_id from input
)
select count(*) from input`

const PINNED = `begin isolation level read committed;
set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off;
set local enable_bitmapscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off`

/** @param {string} databaseUrl @param {{ count: number, startMs: number, periodMs: number, payload: string }} jobs */
export async function loadFloorJobs(databaseUrl, { count, startMs, periodMs, payload }) {
  const client = await connect(databaseUrl)
  await client.query(`${SCHEMA} set maintenance_work_mem = '1GB'`)
  await client.query(LOAD, [count, Date.now(), payload, startMs, periodMs])
  for (const index of INDEXES) await client.query(index)
  await client.end()
}

/** Plans at full speed; its clock stands still until every due slot is planned. */
export async function openPlanFloor(databaseUrl, { startMs, stepMs, periodMs }) {
  const client = await connect(databaseUrl)
  let nowMs = startMs
  let sequence = 0
  const planBatch = async () => {
    const [row] = await pinned(client, 'due', DUE, [SHARDS, nowMs])
    if (row[0] === null) return 0
    const due = slotsOf(row)
    sequence += due.length
    const [[planned]] = await pinned(client, 'plan', PLAN, [
      due.map(({ id }) => id),
      due.map(({ slotMs }) => slotMs),
      due.map(({ slotMs }, n) => runId(slotMs, sequence + n)),
      ...[periodMs, sequence],
    ])
    if (Number(planned) !== due.length) throw new Error(`planned ${planned} of ${due.length} slots`)
    return due.length
  }
  const drive = async ({ count }) => {
    const startedAt = performance.now()
    let slots = 0
    while (slots < count) {
      const planned = await planBatch()
      slots += planned
      if (planned < BATCH) nowMs += stepMs
    }
    return { slots, ms: performance.now() - startedAt }
  }
  return { drive, close: () => client.end() }
}

/** The due slots in the order of their times, which is the order of the indexes. */
function slotsOf([ids, nextMs]) {
  const list = (text) => text.slice(1, -1).split(',')
  const times = list(nextMs)
  return list(ids)
    .map((id, n) => ({ id, slotMs: Number(times[n]) }))
    .sort((a, b) => a.slotMs - b.slotMs)
}

/** A UUIDv7 of the slot; the sequence keeps a batch in index order. */
function runId(slotMs, sequence) {
  const time = slotMs.toString(16).padStart(12, '0')
  const low = (sequence & 0xfff).toString(16).padStart(3, '0')
  return `${time}7${low}8${randomBytes(8).toString('hex').slice(1)}`
}

async function connect(databaseUrl) {
  const types = { getTypeParser: () => (value) => value }
  const client = new pg.Client({ connectionString: databaseUrl, pipeline: true, types })
  await client.connect()
  return client
}

async function pinned(client, name, text, values) {
  const sent = [PINNED, { name, text, values, rowMode: 'array' }, 'commit']
  const [, answer] = await Promise.all(sent.map((query) => client.query(query)))
  return answer.rows
}
