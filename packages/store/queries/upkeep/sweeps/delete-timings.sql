-- Deletes timing rules that neither a job nor an earlier version of a job has referred to for a
-- while, a page at a time. A rule is first marked, and deleted by a later sweep: processes cache the
-- numbers of rules for less time than that (jobs/timing-ids.ts).
--
-- Parameters: $1 number of the last rule of the previous call, $2 most rules to read, $3 ms for
--   which a rule has to be unused
-- Returns: one row: how many were deleted, how many were read, the number of the last one
-- Types: deleted!, looked!
-- Locks: the rules that are marked, unmarked or deleted (those skip locked: a job that is being
--   created locks its rule). Index: primary key of timings, jobs_timing, job_versions_timing.
with looked as materialized (
  select
    t.id, t.unused_at,
    exists (select from punctual.jobs j where j.timing = t.id)
      or exists (select from punctual.job_versions v where v.timing = t.id) as used
  from punctual.timings t
  where t.id > $1::integer
  order by t.id
  limit $2::integer
),
marked as (
  update punctual.timings t
  set unused_at = case when l.used then null else clock_timestamp() end
  from looked l
  where t.id = l.id and l.used = (l.unused_at is not null)
),
old as materialized (
  select t.id
  from punctual.timings t
  where t.id in (select id from looked where not used)
    and t.unused_at < clock_timestamp() - $3::bigint * interval '1 millisecond'
  for update skip locked
),
gone as (
  delete from punctual.timings where id in (select id from old) returning 1
)
select
  (select count(*) from gone)::integer as deleted, count(*)::integer as looked, max(id) as last_timing
from looked
