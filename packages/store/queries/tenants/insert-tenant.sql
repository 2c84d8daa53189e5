-- Creates a tenant.
--
-- Parameters: $1 name, $2 note, $3 who created it, $4 quotas jsonb
-- Returns: the tenant as find-tenant; no row when the name is taken
-- Locks: the new row. Index: unique (name).
insert into punctual.tenants (name, note, created_by, quotas)
values ($1::text, $2::text, $3::text, $4::jsonb)
on conflict (name) do nothing
returning id, name, note, quotas, created_at, created_by, suspended_at, suspended_by, suspended_note, erasing_at
