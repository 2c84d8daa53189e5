-- Records a decision that needs no run: a skip.
--
-- Parameters: $1 slot in ms, $2 job, $3 first slot in ms or null, $4 how many slots, $5 tenant,
--   $6 reason
-- Returns: nothing; an existing decision for the slot stays
-- Locks: the new row. Index: primary key.
insert into punctual.slots (slot_at, job_id, from_at, decided_at, slots, tenant_id, decision, reason)
values (
  to_timestamp($1::float8 / 1000), $2::uuid, to_timestamp($3::float8 / 1000), statement_timestamp(), $4::integer,
  $5::integer, :decisions.skip, $6::smallint)
on conflict do nothing
