-- Leaves runs to their targets: their leases stay, with the same fences, and belong to no worker.
--
-- Parameters: $1 run ids uuid[], $2 fences bigint[], $3 ms since the handler was called integer[],
--   $4 how long to wait for the reports in ms bigint[], $5 addresses of their states text[]
-- Returns: one row: accepted (null when all were, otherwise the ids that were)
-- Locks: leases. Index: primary key. Pinned: nested loops.
with awaited as (
  update punctual.leases l
  set
    session_id = 0, status_url = i.status_url,
    started_at = statement_timestamp() - i.started_ago_ms * interval '1 millisecond',
    deadline_at = clock_timestamp() + i.timeout_ms * interval '1 millisecond',
    wake_at = clock_timestamp() + i.timeout_ms * interval '1 millisecond'
  from unnest($1::uuid[], $2::bigint[], $3::integer[], $4::bigint[], $5::text[])
    as i (run_id, fence, started_ago_ms, timeout_ms, status_url)
  -- A run that was asked to end does not wait for its target.
  where l.run_id = i.run_id and l.fence = i.fence and l.cancel_reason is null
  returning l.run_id
)
select
  case
    when (select count(*) from awaited) <> cardinality($1::uuid[])
      then coalesce((select array_agg(run_id) from awaited), '{}')
  end as accepted
