-- Accepts runs that are due now or soon: inserts them and queues them. The common case of
-- insert-runs, without intermediate results: each array is unnested where it is used.
--
-- Parameters: $1 ids uuid[], $2 payloads text[], $3 due times in ms bigint[] or null (null = now),
--   $4 lanes integer[] or null, $5 keys text[] or null, $6 labels jsonb[] or null,
--   $7 lane of runs without one in $4, $8 tenant, $9 max_attempts, $10 timeout_ms, $11 traits,
--   $12 policy, $13 created_by, $14 trace, $15 first sequence number
-- Returns: nothing. An existing id is an error; a repeated submission uses insert-runs-again.
-- Locks: none beyond the new rows. Index: none read.
with now as materialized (
  select clock_timestamp() as at
),
instant as materialized (
  select at, floor(date_part('epoch', at) * 1000)::bigint as ms from now
),
accepted as (
  insert into punctual.runs (
    id, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload, key, labels,
    policy, created_by, trace)
  select
    i.id,
    case
      when i.due_ms is null then (select at from instant)
      else to_timestamp(i.due_ms::float8 / 1000)
    end,
    (select at from instant), $8::integer, coalesce(i.lane, $7::integer), $10::integer, $9::smallint,
    $11::smallint, i.payload, i.key, i.labels, $12::text, $13::text, $14::text
  from (
    select
      unnest($1::uuid[]) as id, unnest($2::text[]) as payload, unnest($3::bigint[]) as due_ms,
      unnest($4::integer[]) as lane, unnest($5::text[]) as key, unnest($6::jsonb[]) as labels
  ) i
)
insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits)
select
  i.id,
  -- Never in the past: a claim that has passed a position does not come back to it.
  (greatest(i.due_ms, (select ms from instant)) << :pos.shift) | (i.n & :pos.sequence),
  $8::integer, coalesce(i.lane, $7::integer), 0, 0, $11::smallint
from (
  select
    unnest($1::uuid[]) as id, unnest($3::bigint[]) as due_ms, unnest($4::integer[]) as lane,
    generate_series($15::bigint + 1, $15::bigint + cardinality($1::uuid[])) as n
) i
