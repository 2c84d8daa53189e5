-- Marks open dead letters as handled.
--
-- Parameters: $1 tenant, $2 run ids uuid[], $3 handling, $4 the runs that replay them uuid[] or
--   null, $5 note, $6 who handled them
-- Returns: run_id
-- Locks: dead_letters, which lock-letters has taken. Index: primary key.
update punctual.dead_letters d
set
  handled_at = clock_timestamp(), handling = $3::smallint, replayed_as = i.replayed_as, note = $5::text,
  handled_by = $6::text
from unnest($2::uuid[], $4::uuid[]) as i (run_id, replayed_as)
where d.run_id = i.run_id and d.tenant_id = $1::integer
  -- Means handled_at is null; this form uses the primary key instead of an index of all open dead
  -- letters.
  and coalesce(d.handled_at, 'infinity') = 'infinity'
returning d.run_id
