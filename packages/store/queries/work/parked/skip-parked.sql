-- Runs that may not wait for the run of their job that goes on: they are skipped. Of jobs that let one run wait,
-- those behind the first.
--
-- Parameters: $1 own id for the counters, $2 run ids uuid[]
-- Returns: run_id of those skipped
-- Locks: parked, cursors, own counter row. Index: primary keys, parked_job. Pinned: no sequential scan.
with ended as (
  delete from punctual.parked p
  where p.run_id = any (array(
    select g.run_id from punctual.parked g where g.run_id = any ($2::uuid[]) and g.traits & :traits.overlap = :overlap.skip and g.gate is null
    union all
    -- Of all that wait for the job: one that was parked before ours may have been seen only now.
    select o.run_id
    from punctual.parked g
    join punctual.parked o on o.job_id = g.job_id and o.gate is null
    where g.run_id = any ($2::uuid[]) and o.traits & :traits.overlap = :overlap.queue_one and g.gate is null
      and exists (select from punctual.parked f where f.job_id = o.job_id and f.run_id < o.run_id and f.gate is null)))
  returning
    run_id, null::bigint as fence, null::bigint as session_id, tenant_id, lane, crashes, traits, job_id,
    null::text as output, attempt, :states.skipped::smallint as state, null::smallint as attempt_outcome,
    null::timestamptz as started_at, null::jsonb as error, 'overlap' as reason
),
-- include: finish
select run_id from ended
