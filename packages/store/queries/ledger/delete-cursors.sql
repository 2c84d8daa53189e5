-- Deletes cursors of jobs that do not exist. A job and its cursor are always inserted and deleted
-- together.
--
-- Parameters: $1 jobs uuid[]
-- Returns: job_id of each deleted cursor
-- Locks: cursors. Index: primary keys. Pinned: no sequential scan.
delete from punctual.cursors c
where c.job_id = any ($1::uuid[]) and not exists (select from punctual.jobs j where j.id = c.job_id)
returning c.job_id
