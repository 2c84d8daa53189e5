-- Withdraws the decisions for slots that are still ahead, back to the last decision that stays: one
-- whose run a worker has claimed or that has ended, or a skip that began in the past. The runs end
-- as cancelled, and the slots are undecided again.
--
-- Parameters: $1 this process's id for the counters, $2 job, $3 slots in ms bigint[], $4 reason,
--   $5 the clock in ms
-- Returns: one row: the last slot ahead whose decision stays in ms (null when none does), how many
--   runs and how many decisions were withdrawn
-- Types: runs!, decisions!
-- Locks: queue, slots, this process's counter row; the caller holds the cursor. Index: primary
--   keys. Pinned: no sequential scan.
with planned as materialized (
  select s.slot_at, s.from_at, s.run_id
  from punctual.slots s
  where s.job_id = $2::uuid
    and s.slot_at = any (array(select to_timestamp(ms::float8 / 1000) from unnest($3::bigint[]) as i (ms)))
),
waiting as materialized (
  select run_id from punctual.queue where run_id = any (array(select run_id from planned)) for update
),
stays as materialized (
  select max(p.slot_at) as slot_at
  from planned p
  where case
    when p.run_id is null then coalesce(p.from_at, p.slot_at) <= to_timestamp($5::float8 / 1000)
    else p.run_id not in (select run_id from waiting)
  end
),
ahead as materialized (
  select p.slot_at, p.run_id
  from planned p
  cross join stays
  where p.slot_at > coalesce(stays.slot_at, '-infinity')
),
ended as (
  delete from punctual.queue
  where run_id = any (array(select run_id from ahead))
  returning
    run_id, null::bigint as fence, null::bigint as session_id, tenant_id, lane, crashes, traits,
    null::text as output, attempt, :states.cancelled::smallint as state, null::smallint as attempt_outcome,
    null::timestamptz as started_at, null::jsonb as error, $4::text as reason, job_id
),
withdrawn as (
  delete from punctual.slots s
  where s.job_id = $2::uuid and s.slot_at = any (array(select slot_at from ahead))
  returning s.slot_at
),
-- include: finish
select
  (select (extract(epoch from slot_at) * 1000)::bigint from stays) as stay_ms,
  (select count(*) from ended)::integer as runs,
  (select count(*) from withdrawn)::integer as decisions
