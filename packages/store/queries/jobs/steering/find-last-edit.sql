-- Up to which instant a job was decided by rules that it no longer has.
--
-- Parameters: $1 job
-- Returns: one row: the instant in ms; null when the job was never edited
-- Locks: none. Index: primary key of job_versions.
select (extract(epoch from max(until_at)) * 1000)::bigint as until_ms
from punctual.job_versions
where job_id = $1::uuid
