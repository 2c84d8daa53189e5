-- Gives runs that wait in `later` another time.
--
-- Parameters: $1 run ids uuid[], $2 tenant, $3 new time in ms, $4 horizon in ms
-- Returns: run_id of those rescheduled
-- Locks: later. Index: primary key of later. Pinned: no sequential scan.
with now as materialized (
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms
),
taken as (
  delete from punctual.later
  where run_id = any ($1::uuid[]) and tenant_id = $2::integer
  returning run_id, tenant_id, lane, attempt, crashes, traits
),
queued as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits)
  select run_id, greatest($3::bigint, now.ms) << 20, tenant_id, lane, attempt, crashes, traits
  from taken, now
  where $3::bigint <= now.ms + $4::bigint
),
postponed as (
  insert into punctual.later (run_id, due_at, tenant_id, lane, attempt, crashes, traits)
  select run_id, to_timestamp($3::float8 / 1000), tenant_id, lane, attempt, crashes, traits
  from taken, now
  where $3::bigint > now.ms + $4::bigint
)
select run_id from taken
