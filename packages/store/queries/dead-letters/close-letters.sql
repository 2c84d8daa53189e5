-- Says what came of dead letters that are open.
--
-- Parameters: $1 tenant, $2 run ids uuid[], $3 handling, $4 the runs that do them again uuid[] or null, $5 note,
--   $6 by whom
-- Returns: run_id
-- Locks: dead_letters, which lock-letters has taken. Index: primary key.
update punctual.dead_letters d
set
  handled_at = clock_timestamp(), handling = $3::smallint, replayed_as = i.replayed_as, note = $5::text,
  handled_by = $6::text
from unnest($2::uuid[], $4::uuid[]) as i (run_id, replayed_as)
where d.run_id = i.run_id and d.tenant_id = $1::integer
  -- That is: handled_at is null; in words that lead to the primary key, and not to an index of all that are open.
  and coalesce(d.handled_at, 'infinity') = 'infinity'
returning d.run_id
