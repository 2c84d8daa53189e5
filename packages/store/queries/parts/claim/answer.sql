-- What every claim answers. Of each lane that gave runs: the lane, how many, the last pos, its
-- share. Of each run, in the order of ids and fences: the id, the lane, and traits.crashes.attempt
-- (null when all are 0). Then the definitions of the runs of today, in the order of their ids, which
-- are null when they are the ids above. A payload over 8,000 bytes is left empty, and a run of another
-- day is missing: both are read with work/read-runs. Numbers are joined by commas, texts by U+001E,
-- which none of them contains.
--
-- Expects: the parts due and taken, and `given`.
pg_snapshot_xmin(pg_current_snapshot()) as xmin, pg_snapshot_xmax(pg_current_snapshot()) as xmax,
(select pos from bound) as bound, g.*, b.run_ids, b.lanes,
case when b.marked then
  (select string_agg(concat_ws('.', traits, crashes, attempt), ',') from numbered)
end as marks,
d.*
from me
cross join batch b
cross join (
  select
    string_agg(lane::text, ',') as given_lanes, string_agg(runs::text, ',') as given_runs,
    string_agg(last_pos::text, ',') as given_last_pos,
    string_agg(share::text, ',') as given_shares
  from given
) g
cross join (
  select
    nullif(coalesce(array_agg(r.id), '{}'), (select ids from batch)) as ids,
    string_agg(r.timeout_ms::text, ',') as timeouts_ms,
    string_agg(r.max_attempts::text, ',') as max_attempts,
    string_agg((date_part('epoch', r.due_at) * 1000)::bigint::text, ',') as dues_ms,
    string_agg(
      case when octet_length(r.payload) <= 8000 then r.payload else '' end, e'\x1e') as payloads,
    string_agg(
      -- include: run-extra
      , e'\x1e') as extras
  -- By a list of ids, which are close to each other: one descent into the index serves many.
  from punctual.runs /* day 0 */ r where r.id = any ((select ids from batch)::uuid[])
) d
