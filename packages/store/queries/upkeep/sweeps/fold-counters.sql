-- Folds counters older than ten minutes into one row per minute for all connections, under
-- connection 0, and counters older than an hour into one row for all sessions, under session 0.
-- Until then `workers.list` can show how the runs of each session ended.
--
-- Parameters: none
-- Returns: one row: the number of folded rows
-- Types: rows!
-- Locks: the old rows, which no session updates any more. Index: counters_bucket.
with now as materialized (
  select clock_timestamp() - interval '10 minutes' as bumped, clock_timestamp() - interval '1 hour' as told
),
old as (
  delete from punctual.counters c
  using now n
  where c.bucket_at < n.bumped and c.session_id <> 0
    and (c.bucket_at < n.told or c.connection <> 0)
  returning
    case when c.bucket_at < n.told then 0 else c.session_id end as session_id, c.bucket_at, c.tenant_id, c.lane, c.state,
    c.runs
),
folded as (
  insert into punctual.counters (session_id, bucket_at, tenant_id, lane, state, runs, connection)
  select session_id, date_trunc('minute', bucket_at), min(tenant_id), lane, state, sum(runs), 0
  from old
  group by session_id, date_trunc('minute', bucket_at), lane, state
  order by 2, 1, lane, state
  on conflict (session_id, bucket_at, lane, state, connection) do update set runs = counters.runs + excluded.runs
)
select count(*) as rows from old
