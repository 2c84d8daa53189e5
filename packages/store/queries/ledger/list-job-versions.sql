-- Earlier versions of a job, oldest first.
--
-- Parameters: $1 job
-- Returns: until_at, anchor_at, end_at, version, spec, change
-- Locks: none. Index: primary keys.
select v.until_at, v.anchor_at, v.end_at, v.version, t.spec, v.change
from punctual.job_versions v
join punctual.timings t on t.id = v.timing
where v.job_id = $1::uuid
order by v.version
