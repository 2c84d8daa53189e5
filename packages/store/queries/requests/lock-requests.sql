-- Takes idempotency keys for the transaction, without waiting. What was answered under them is looked for by the next
-- statement, whose snapshot has what their last holders committed.
--
-- Parameters: $1 tenant, $2 keys text[]
-- Returns: those that were free
-- Locks: an advisory lock of each key, to the end of the transaction. Index: none.
select key
from unnest($2::text[]) as i (key)
where pg_try_advisory_xact_lock(hashtextextended(concat($1::integer, ' ', key), 6012))
