-- Reads the clock. A separate statement, because in a statement that locks, the clock may be read
-- before the wait for the lock.
--
-- Parameters: none
-- Returns: one row: ms
-- Types: ms!
-- Locks: none. Index: none.
select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms
