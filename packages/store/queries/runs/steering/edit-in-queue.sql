-- Replaces the payload of runs that wait in `queue`. They are deleted and inserted again: a claim
-- in progress, which may have read the old payload, does not find them. Only before their first
-- attempt: later attempts repeat what the first one began.
--
-- Parameters: $1 run ids uuid[], $2 tenant, $3 payload
-- Returns: run_id of each changed run
-- Locks: queue, then the runs. Index: primary keys; the ids prune runs to their partitions. Pinned:
--   no sequential scan.
with now as materialized (
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms
),
taken as (
  delete from punctual.queue
  where run_id = any ($1::uuid[]) and tenant_id = $2::integer and attempt = 0 and crashes = 0
  returning run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id
),
queued as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  select run_id, greatest(pos, now.ms << :pos.shift), tenant_id, lane, attempt, crashes, traits, job_id
  from taken, now
),
edited as (
  update punctual.runs r
  set payload = $3::text, edited_at = clock_timestamp()
  from taken t
  where r.id = t.run_id and r.id = any ($1::uuid[])
)
select run_id from taken
