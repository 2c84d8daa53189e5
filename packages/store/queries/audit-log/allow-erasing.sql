-- Allows this transaction to delete the entries of a tenant, and keeps sealers out meanwhile.
--
-- Parameters: $1 tenant
-- Returns: the tenant
-- Locks: the advisory lock of the sealers, until the transaction ends. Index: none.
select
  set_config('punctual.erasing_tenant', $1::integer::text, true) as tenant,
  pg_advisory_xact_lock(hashtextextended('audit seal ' || 'punctual.audit_seals'::regclass::oid, 0)) as locked
