-- Sums the counters of the next day, half an hour after it has ended, when its counters are
-- complete. Only the transaction that advances the day writes; a concurrent one finds it advanced.
--
-- Parameters: none
-- Returns: one row: the number of rows written
-- Types: rows!
-- Locks: the row of day_sums, the new rows. Index: counters_bucket. Planned for the day that is
--   read.
with turn as materialized (
  update punctual.day_sums
  set through = through + interval '1 day'
  where name = 'lanes' and through + interval '1 day 30 minutes' <= clock_timestamp()
  returning through - interval '1 day' as from_at, through as to_at
),
made as (
  insert into punctual.lane_days (day, tenant_id, lane, state, runs)
  select (t.from_at at time zone 'UTC')::date, c.tenant_id, c.lane, c.state, sum(c.runs)
  from turn t
  join punctual.counters c on c.bucket_at >= t.from_at and c.bucket_at < t.to_at
  group by 1, c.tenant_id, c.lane, c.state
  on conflict (tenant_id, day, lane, state) do update set runs = lane_days.runs + excluded.runs
  returning 1
)
select count(*) as rows from made
