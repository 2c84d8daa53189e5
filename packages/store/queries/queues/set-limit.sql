-- Sets the limits of a queue or the tenant and replaces earlier ones. Running runs count from now
-- on, except runs whose claim is still in progress. Queues need not exist, so the number of rows is
-- bounded.
--
-- Parameters: $1 tenant, $2 queue (null = the tenant), $3 concurrency, $4 rate limit, $5 rate per
--   ms, $6 rate burst, $7 interval of the rate in microseconds, $8 ageing in ms, $9 weight, $10 who
--   set it, $11 channel of hints, $12 most limits of queues
-- Returns: id; no row when the tenant may not limit another queue
-- Locks: for a new row the count (rows_of_tenant), until the transaction ends; the row, then the
--   running leases. Index: unique (tenant_id, queue); leases are read whole.
with room as materialized (
  select
    $2::text is null
    or exists (select from punctual.limits where tenant_id = $1::integer and queue = $2::text)
    or punctual.rows_of_tenant($1::integer, 'limits', $12::bigint) < $12::bigint as is_left
),
made as (
  insert into punctual.limits as m (
    tenant_id, queue, concurrency, rate_limit, rate_per_ms, rate_burst, rate_interval_us, ageing_ms, weight, set_at,
    set_by)
  select
    $1::integer, $2::text, $3::integer, $4::integer, $5::bigint, $6::integer, $7::bigint, $8::bigint, $9::integer,
    clock_timestamp(), $10::text
  from room
  where is_left
  on conflict (tenant_id, queue) do update
    set
      concurrency = excluded.concurrency, rate_limit = excluded.rate_limit, rate_per_ms = excluded.rate_per_ms,
      rate_burst = excluded.rate_burst, rate_interval_us = excluded.rate_interval_us, ageing_ms = excluded.ageing_ms,
      weight = excluded.weight, set_at = excluded.set_at, set_by = excluded.set_by,
      next_us = 0, turn = m.turn + 1
  returning id
),
counted as (
  update punctual.leases l
  set
    queue_limit = case when $2::text is null then l.queue_limit else made.id end,
    tenant_limit = case when $2::text is null then made.id else l.tenant_limit end
  from made, punctual.lanes n
  where n.id = l.lane and n.tenant_id = $1::integer and ($2::text is null or n.queue = $2::text)
)
select id, pg_notify($11::text, '- new *') from made
