-- The clock, in a statement of its own: beside a lock it may be read before the wait for it.
--
-- Parameters: none
-- Returns: one row: ms
-- Locks: none. Index: none.
select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms
