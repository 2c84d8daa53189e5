-- Folds counters older than ten minutes into one row a minute, under session 0.
--
-- Parameters: none
-- Returns: one row: how many rows were folded
-- Locks: the old rows, which no session bumps any more. Index: counters_bucket.
with old as (
  delete from punctual.counters
  where bucket_at < clock_timestamp() - interval '10 minutes' and session_id <> 0
  returning bucket_at, tenant_id, lane, state, runs
),
folded as (
  insert into punctual.counters (session_id, bucket_at, tenant_id, lane, state, runs)
  select 0, date_trunc('minute', bucket_at), min(tenant_id), lane, state, sum(runs)
  from old
  group by date_trunc('minute', bucket_at), lane, state
  order by 2, lane, state
  on conflict (session_id, bucket_at, lane, state) do update set runs = counters.runs + excluded.runs
)
select count(*) from old
