-- Whether this transaction may seal: only one at a time may, and the others retry later.
--
-- Parameters: none
-- Returns: true when it may
-- Types: locked!
-- Locks: an advisory lock of the schema, until the transaction ends. Index: none.
select pg_try_advisory_xact_lock(hashtextextended('audit seal ' || 'punctual.audit_seals'::regclass::oid, 0)) as locked
