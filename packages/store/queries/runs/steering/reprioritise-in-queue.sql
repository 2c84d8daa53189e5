-- Moves runs that wait in `queue` to the lanes of another priority. Due runs go behind the due runs
-- of the new lane, because a position is never in the past; their due time stays.
--
-- Parameters: $1 run ids uuid[], $2 tenant, $3 lanes integer[], $4 the replacement of each lane
--   integer[]
-- Returns: run_id of each changed run
-- Locks: queue, then the runs. Index: primary keys; the ids prune runs to their partitions. Pinned:
--   no sequential scan.
with now as materialized (
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms
),
taken as (
  delete from punctual.queue p
  using unnest($3::integer[], $4::integer[]) as m (lane, new_lane)
  where p.run_id = any ($1::uuid[]) and p.tenant_id = $2::integer and p.lane = m.lane
  returning p.run_id, p.pos, p.tenant_id, m.new_lane as lane, p.attempt, p.crashes, p.traits, p.job_id
),
queued as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  select run_id, greatest(pos, now.ms << :pos.shift), tenant_id, lane, attempt, crashes, traits, job_id
  from taken, now
),
relaned as (
  update punctual.runs r
  set lane = t.lane, edited_at = clock_timestamp()
  from taken t
  where r.id = t.run_id and r.id = any ($1::uuid[])
)
select run_id from taken
