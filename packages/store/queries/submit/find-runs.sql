-- Which runs of a submission are there: an earlier try of it was committed.
--
-- Parameters: $1 ids uuid[]
-- Returns: id of each that exists
-- Locks: none. Index: primary key of runs, the days of the ids; asked only after a reply was lost.
select id from punctual.runs where id = any ($1::uuid[])
