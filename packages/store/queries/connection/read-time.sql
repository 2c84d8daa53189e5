-- Reads the clock of the server with its full precision, to learn how far this process's differs.
--
-- Parameters: none
-- Returns: one row: ms, with fractions
-- Types: ms!
-- Locks: none. Index: none.
select extract(epoch from clock_timestamp())::float8 * 1000 as ms
