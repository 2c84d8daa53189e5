-- Locks idempotency keys for the transaction, without waiting. Stored answers are read by the next
-- statement, whose snapshot includes the commits of the previous holders.
--
-- Parameters: $1 tenant, $2 keys text[]
-- Returns: the keys that were free
-- Types: key!
-- Locks: an advisory lock per key, tenant and schema, until the transaction ends. Index: none.
select key
from unnest($2::text[]) as i (key)
where pg_try_advisory_xact_lock(
  hashtextextended(concat('punctual.requests'::regclass::oid, ' ', $1::integer, ' ', key), 6012)
)
