-- Earlier versions of edited or deleted jobs, oldest first.
--
-- Parameters: $1 jobs uuid[]
-- Returns: job_id, until, anchor and end in ms, timing
-- Types: until_ms!
-- Locks: none. Index: primary key. Pinned: no sequential scan.
select
  job_id, (extract(epoch from until_at) * 1000)::bigint as until_ms, (extract(epoch from anchor_at) * 1000)::bigint as anchor_ms,
  (extract(epoch from end_at) * 1000)::bigint as end_ms, timing
from punctual.job_versions
where job_id = any ($1::uuid[])
order by job_id, version
