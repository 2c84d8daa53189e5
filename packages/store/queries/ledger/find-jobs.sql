-- The columns of jobs that their slots depend on.
--
-- Parameters: $1 jobs uuid[]
-- Returns: id, timing, created, anchor and end in ms, version of the cursor
-- Types: created_ms!
-- Locks: none. Index: primary keys. Pinned: no sequential scan.
select
  j.id, c.timing, floor(extract(epoch from j.created_at) * 1000)::bigint as created_ms,
  (extract(epoch from c.anchor_at) * 1000)::bigint as anchor_ms, (extract(epoch from c.end_at) * 1000)::bigint as end_ms,
  c.version
from punctual.jobs j
join punctual.cursors c on c.job_id = j.id
where j.id = any ($1::uuid[])
