-- Records the results of submissions that locked their keys with take-turns, and starts the windows
-- of those that made a run.
--
-- Parameters: $1 tenant, $2 keys text[], $3 runs uuid[], $4 ids of the submissions uuid[],
--   $5 windows in ms bigint[] (0 = leave the window unchanged)
-- Returns: nothing
-- Locks: none beyond those of take-turns. Index: primary key of key_windows.
update punctual.key_windows w
set
  run_id = i.run_id, asked_by = i.asked_by,
  until_at = case
    when i.window_ms > 0 then clock_timestamp() + i.window_ms * interval '1 millisecond'
    else w.until_at
  end
from unnest($2::text[], $3::uuid[], $4::uuid[], $5::bigint[]) as i (key, run_id, asked_by, window_ms)
where w.tenant_id = $1::integer and w.key = i.key
