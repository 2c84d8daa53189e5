-- Takes an idempotency key for the transaction, without waiting. What was answered under it is looked for by the next
-- statement, whose snapshot has what the last holder committed.
--
-- Parameters: $1 tenant, $2 key
-- Returns: whether it was free
-- Locks: an advisory lock of the key, to the end of the transaction. Index: none.
select pg_try_advisory_xact_lock(hashtextextended(concat($1::integer, ' ', $2::text), 6012))
