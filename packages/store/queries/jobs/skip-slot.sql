-- A slot that is not planned yet is to be skipped.
--
-- Parameters: $1 job, $2 slot in ms, $3 tenant, $4 who asked
-- Returns: nothing
-- Locks: the new row; the caller holds the cursor. Index: primary keys.
with asked as (
  insert into punctual.slot_skips (job_id, slot_at, tenant_id, asked_by)
  values ($1::uuid, to_timestamp($2::float8 / 1000), $3::integer, $4::text)
  on conflict do nothing
)
update punctual.cursors
set asked_skips = least(32000, asked_skips + 1), version = version + 1
where job_id = $1::uuid
