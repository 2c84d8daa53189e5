-- Which of the given jobs have had enough dead runs in a row to be paused.
--
-- Parameters: $1 jobs uuid[]
-- Returns: job_id, tenant_id, failures
-- Locks: none. Index: primary keys.
select c.job_id, c.tenant_id, c.failures
from punctual.cursors c
join punctual.timings t on t.id = c.timing
where c.job_id = any ($1::uuid[]) and not c.paused
  and c.failures >= (t.spec::jsonb ->> 'pauseAfterFailures')::integer
