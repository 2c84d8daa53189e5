-- Whether this transaction may seal: one at a time does, and the others come again later.
--
-- Parameters: none
-- Returns: true when it may
-- Locks: an advisory lock of the schema, to the end of the transaction. Index: none.
select pg_try_advisory_xact_lock(hashtextextended('audit seal ' || 'punctual.audit_seals'::regclass::oid, 0))
