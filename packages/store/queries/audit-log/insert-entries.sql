-- Inserts entries and marks them as unsealed, in one statement.
--
-- Parameters: $1 a JSON array of entries, with the names of the columns; tenant_id null = the
--   installation
-- Returns: entry_id
-- Locks: the new rows. Index: none.
with entries as (
  insert into punctual.audit_log (
    id, tenant_id, actor_kind, actor_id, actor_name, action, target_kind, target_id, target_name,
    before, after, source_ip, request_id, note
  )
  select
    id, tenant_id, actor_kind, actor_id, actor_name, action, target_kind, target_id, target_name,
    before, after, source_ip, request_id, note
  from jsonb_to_recordset($1::jsonb) as given (
    id uuid, tenant_id integer, actor_kind text, actor_id text, actor_name text, action text,
    target_kind text, target_id text, target_name text, before jsonb, after jsonb, source_ip text,
    request_id text, note text
  )
  order by id
  returning id, tenant_id
)
insert into punctual.audit_unsealed (entry_id, chain)
select id, coalesce(tenant_id, 0) from entries
returning entry_id
