-- Jobs of some shards whose next slot lies in a range.
--
-- Parameters: $1 shards smallint[], $2 from in ms, $3 until in ms, $4 most jobs
-- Returns: one row of arrays (null when there is none): job ids, tenants, next slots in ms,
--   versions, timings, anchors in ms, ends in ms, runs left, number of requested skips, dead runs
--   in a row, last slots decided in ms, whether the tenant is suspended
-- Types: anchors_ms number?[], ends_ms number?[], runs_left number?[]
-- Locks: none. Index: cursors_due. Pinned: no sequential scan.
select
  array_agg(job_id) as job_ids, array_agg(tenant_id) as tenants, array_agg(next_ms) as next_ms,
  array_agg(version) as versions, array_agg(timing) as timings,
  array_agg((date_part('epoch', anchor_at) * 1000)::bigint) as anchors_ms,
  array_agg((date_part('epoch', end_at) * 1000)::bigint) as ends_ms, array_agg(runs_left) as runs_left,
  array_agg(asked_skips) as asked_skips, array_agg(failures) as failures,
  array_agg((date_part('epoch', cursor_at) * 1000)::bigint) as cursors_ms,
  array_agg(case when tenant_id in (select p.tenant_id from punctual.pauses p where p.of_suspension) then 1 else 0 end)
    as suspended
from (
  select
    c.job_id, c.tenant_id, (date_part('epoch', c.next_at) * 1000)::bigint as next_ms, c.version, c.timing,
    c.anchor_at, c.end_at, c.runs_left, c.asked_skips, c.failures, c.cursor_at
  from unnest($1::smallint[]) as s (shard)
  cross join lateral (
    select job_id, tenant_id, next_at, version, timing, anchor_at, end_at, runs_left, asked_skips, failures,
      cursor_at
    from punctual.cursors
    where shard = s.shard
      and next_at >= to_timestamp($2::float8 / 1000) and next_at <= to_timestamp($3::float8 / 1000)
    order by next_at
    limit $4::integer
  ) c
  limit $4::integer
) due
