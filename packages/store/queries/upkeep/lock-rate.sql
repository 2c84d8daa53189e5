-- Keeps claims from booking a rate until the transaction ends, so that the next statement sees all
-- bookings.
--
-- Parameters: $1 rate
-- Returns: the rate; no row when it was deleted
-- Locks: the rate. Index: primary key.
select rate from punctual.rates where rate = $1::bigint for no key update
