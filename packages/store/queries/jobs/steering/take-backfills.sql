-- Reserves slots for a backfill: those that were never backfilled.
--
-- Parameters: $1 job, $2 tenant, $3 slots in ms bigint[], $4 run ids uuid[]
-- Returns: run_id of each reserved slot
-- Locks: the new rows. Index: primary key.
insert into punctual.backfills (job_id, slot_at, run_id, asked_at, tenant_id)
select $1::uuid, to_timestamp(i.slot_ms::float8 / 1000), i.run_id, clock_timestamp(), $2::integer
from unnest($3::bigint[], $4::uuid[]) as i (slot_ms, run_id)
on conflict do nothing
returning run_id
