-- Keeps a job from being triggered until the transaction ends, and waits for triggers in progress:
-- the statements that follow see their runs.
--
-- Parameters: $1 job
-- Returns: id; no row when the job is deleted
-- Locks: the job. Index: primary key.
select id from punctual.jobs where id = $1::uuid for update
