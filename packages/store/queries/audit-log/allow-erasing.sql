-- Lets this transaction delete the entries of a tenant, while nobody seals.
--
-- Parameters: $1 tenant
-- Returns: the tenant
-- Locks: the advisory lock of the sealers, to the end of the transaction. Index: none.
select
  set_config('punctual.erasing_tenant', $1::integer::text, true),
  pg_advisory_xact_lock(hashtextextended('audit seal ' || 'punctual.audit_seals'::regclass::oid, 0))
