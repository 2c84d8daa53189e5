-- Changes the note and the quotas of a tenant.
--
-- Parameters: $1 tenant, $2 whether the note changes, $3 note, $4 quotas to set jsonb, $5 quotas to
--   remove text[]
-- Returns: as find-tenant; no row when the tenant does not exist
-- Locks: the tenant. Index: primary key.
update punctual.tenants
set
  note = case when $2::boolean then $3::text else note end,
  quotas = (quotas || $4::jsonb) - $5::text[]
where id = $1::integer and erased_at is null
returning id, name, note, quotas, created_at, created_by, suspended_at, suspended_by, suspended_note, erasing_at
