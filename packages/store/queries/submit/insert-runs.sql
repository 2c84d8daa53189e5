-- Accepts runs: inserts them, and puts each into the place where it waits.
--
-- Parameters: $1 ids uuid[], $2 payloads text[], $3 due times in ms bigint[] or null (null = now),
--   $4 lanes integer[] or null, $5 keys text[] or null, $6 labels jsonb[] or null,
--   $7 lane of runs without one in $4, $8 tenant, $9 max_attempts, $10 timeout_ms, $11 traits,
--   $12 policy, $13 created_by, $14 trace, $15 first sequence number, $16 horizon in ms
-- Returns: nothing. An existing id is an error; a repeated submission uses insert-runs-again.
-- Locks: none beyond the new rows. Index: none read.
with now as materialized (
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms
),
input as materialized (
  select
    i.id, i.payload, i.key, i.labels, i.n,
    coalesce(i.lane, $7::integer) as lane,
    coalesce(i.due_ms, now.ms) as due_ms,
    -- Never in the past: a claim that has passed a position does not come back to it.
    greatest(i.due_ms, now.ms) as pos_ms,
    now.ms as now_ms
  from now
  cross join unnest($1::uuid[], $2::text[], $3::bigint[], $4::integer[], $5::text[], $6::jsonb[])
    with ordinality as i (id, payload, due_ms, lane, key, labels, n)
),
accepted as (
  insert into punctual.runs (
    id, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload, key, labels,
    policy, created_by, trace)
  select
    id, to_timestamp(due_ms::float8 / 1000), to_timestamp(now_ms::float8 / 1000), $8::integer, lane,
    $10::integer, $9::smallint, $11::smallint, payload, key, labels, $12::text, $13::text, $14::text
  from input
),
queued as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits)
  select id, (pos_ms << :pos.shift) | (($15::bigint + n) & :pos.sequence), $8::integer, lane, 0, 0, $11::smallint
  from input
  where pos_ms <= now_ms + $16::bigint
)
insert into punctual.later (run_id, due_at, tenant_id, lane, attempt, crashes, traits)
select id, to_timestamp(due_ms::float8 / 1000), $8::integer, lane, 0, 0, $11::smallint
from input
where pos_ms > now_ms + $16::bigint
