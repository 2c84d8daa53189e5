-- Whether the run of a job's last slot is still live.
--
-- Parameters: $1 job, $2 its last slot in ms
-- Returns: one row: live
-- Types: live!
-- Locks: none. Index: primary keys. Pinned: no sequential scan.
select exists (
  select
  from punctual.slots s
  where s.job_id = $1::uuid and s.slot_at = to_timestamp($2::float8 / 1000) and s.run_id is not null
    and not exists (select from punctual.outcomes o where o.run_id = s.run_id)
    -- A run that was planned by other rules does not re-arm the job when it ends.
    and exists (select from punctual.runs r where r.id = s.run_id and r.traits & :traits.rearms <> 0)
) as live
