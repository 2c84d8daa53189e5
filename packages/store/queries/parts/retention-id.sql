-- The first run id that the retention keeps: ids carry their time, and history is kept for $1 days.
-- The time of the statement, unlike that of the clock, lets the server skip partitions by it.
--
-- Expects: the days of the retention in $1.
(lpad(
  to_hex(floor(extract(
    epoch from statement_timestamp() - ($1::integer + 1) * interval '1 day') * 1000)::bigint),
  12, '0') || '00000000000000000000')::uuid
