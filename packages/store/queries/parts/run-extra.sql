-- What few runs have: job, slot and first missed slot in ms, retry policy, trace, joined by U+001F.
-- Empty for a run without any of them.
--
-- Expects: runs as r.
case when coalesce(r.job_id::text, r.policy, r.trace) is null then '' else concat(
  r.job_id, e'\x1f', (date_part('epoch', r.slot_at) * 1000)::bigint, e'\x1f',
  (date_part('epoch', r.missed_from) * 1000)::bigint, e'\x1f', r.policy, e'\x1f', r.trace)
end
