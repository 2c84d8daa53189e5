-- Keeps claims from giving moments of a rate until the end of the transaction: what the next statement sees is all there is.
--
-- Parameters: $1 rate
-- Returns: the rate; no row when it is forgotten
-- Locks: the rate. Index: primary key.
select rate from punctual.rates where rate = $1::bigint for no key update
