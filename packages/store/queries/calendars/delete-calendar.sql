-- Removes a calendar that no job uses.
--
-- Parameters: $1 tenant, $2 name
-- Returns: one row: whether it existed, and how many jobs use it (if any, it stays)
-- Types: existed!, users!
-- Locks: the row. Index: primary keys; scans the jobs of the tenant.
with users as materialized (
  select count(*) as jobs
  from punctual.jobs j
  join punctual.timings t on t.id = j.timing
  where j.tenant_id = $1::integer and t.spec::jsonb -> 'calendars' ? $2::text
),
gone as (
  delete from punctual.calendars
  where tenant_id = $1::integer and name = $2::text and (select jobs from users) = 0
  returning name
)
select
  exists (select from punctual.calendars where tenant_id = $1::integer and name = $2::text) as existed,
  (select jobs from users) as users
