-- Which runs of a submission are there: an earlier try of it was committed. It writes to the log, as find-commit does and for
-- its reason.
--
-- Parameters: $1 ids uuid[]
-- Returns: id of each that exists, where it was written
-- Locks: none. Index: primary key of runs, the days of the ids; asked only after a reply was lost.
select id, (select pg_logical_emit_message(true, 'punctual', '')) as written_at
from punctual.runs
where id = any ($1::uuid[])
