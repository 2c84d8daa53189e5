-- Which runs of a submission exist, because an earlier attempt to submit it has committed. Writes
-- to the WAL, for the reason given in find-commit.
--
-- Parameters: $1 ids uuid[]
-- Returns: id of each run that exists, WAL position of the message
-- Locks: none. Index: primary key of runs, the partitions of the ids; used only after a reply was
--   lost.
select id, (select pg_logical_emit_message(true, 'punctual', '')) as written_at
from punctual.runs
where id = any ($1::uuid[])
