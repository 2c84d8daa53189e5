-- Inserts the cursors of newly registered jobs: where each begins and its next slot.
--
-- Parameters: $1 tenant, $2 ids uuid[], $3 next slots in ms bigint[], $4 anchors in ms bigint[],
--   $5 ends in ms bigint[], $6 runs left integer[], $7 timings integer[], $8 shards smallint[],
--   $9 when they were registered in ms
-- Returns: nothing
-- Locks: the new rows. Index: primary key of timings.
insert into punctual.cursors (
  job_id, next_at, cursor_at, anchor_at, end_at, tenant_id, timing, version, runs_left, shard, once)
select
  i.id, to_timestamp(i.next_ms::float8 / 1000), to_timestamp(($9::float8 - 1) / 1000), to_timestamp(i.anchor_ms::float8 / 1000),
  to_timestamp(i.end_ms::float8 / 1000), $1::integer, i.timing, 1, i.runs_left, i.shard,
  (select t.spec::jsonb -> 'when' ->> 'kind' = 'once' from punctual.timings t where t.id = i.timing)
from unnest(
  $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::integer[], $7::integer[], $8::smallint[])
  as i (id, next_ms, anchor_ms, end_ms, runs_left, timing, shard)
