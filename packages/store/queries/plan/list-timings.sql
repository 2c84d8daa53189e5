-- Timing rules by number.
--
-- Parameters: $1 timings integer[]
-- Returns: id, spec
-- Locks: none. Index: primary key.
select id, spec from punctual.timings where id = any ($1::integer[])
