-- The audit log: who changed what. And the secrets of tenants.
--
-- Each control write adds an entry in its own transaction. Entries are never updated. A sealer then
-- gives each entry its position in the hash chain of its tenant, in separate tables.

create table punctual.audit_log (
  -- A UUIDv7 made by the node. A sequence of the installation would tell a tenant how much the
  -- others do.
  id uuid primary key,
  at timestamptz not null default clock_timestamp(),
  -- Null for the installation. No foreign key: entries outlive their tenant.
  tenant_id integer,
  actor_kind text not null check (actor_kind in ('api_key', 'library', 'cli', 'system')),
  actor_id text,
  actor_name text,
  action text not null,
  target_kind text not null,
  target_id text,
  target_name text,
  before jsonb,
  after jsonb,
  source_ip text,
  request_id text,
  note text
);

create index audit_log_chain on punctual.audit_log ((coalesce(tenant_id, 0)), id);

-- Entries that are not yet sealed. The statement that inserts an entry inserts this row too, and
-- both become visible together, so that an entry that commits late is still found. Sealing "all
-- entries after the last sealed one" would skip it, because ids are made before the commit.
create table punctual.audit_unsealed (
  entry_id uuid primary key references punctual.audit_log (id) on delete cascade,
  chain integer not null
) with (vacuum_truncate = off);

-- The hash chain of each tenant; chain 0 is that of the installation. No foreign key to the entry:
-- the seal of an entry that was removed must remain, or the removal would not be noticed.
create table punctual.audit_seals (
  chain integer not null,
  seq bigint not null check (seq > 0),
  entry_id uuid not null unique,
  -- SHA-256 of the entry.
  content bytea not null check (octet_length(content) = 32),
  -- SHA-256 of the previous hash, the position and the content.
  hash bytea not null check (octet_length(hash) = 32),
  sealed_at timestamptz not null default clock_timestamp(),
  primary key (chain, seq)
);

-- The last seal of each chain.
create table punctual.audit_heads (
  chain integer primary key,
  seq bigint not null,
  hash bytea not null,
  sealed_at timestamptz not null
) with (fillfactor = 50);

-- Refuses the change, even to the owner of the tables. The one exception is the erasure of a
-- tenant, whose transaction names the tenant in a setting. The argument is the column that holds
-- the tenant of the row.
create function punctual.refuse_audit_change() returns trigger
language plpgsql as $$
begin
  -- An unset setting is null, and empty after a transaction that had set it: nullif refuses both.
  if tg_op = 'DELETE'
    and to_jsonb(old) ->> tg_argv[0] = nullif(current_setting('punctual.erasing_tenant', true), '')
  then
    return old;
  end if;
  raise exception using
    errcode = 'PN002',
    message = format(
      'The audit log is append-only: %s of %s is refused.', lower(tg_op), tg_table_name);
end
$$;

create trigger audit_log_is_append_only before update or delete on punctual.audit_log
  for each row execute function punctual.refuse_audit_change('tenant_id');
create trigger audit_log_is_not_truncated before truncate on punctual.audit_log
  for each statement execute function punctual.refuse_audit_change();
create trigger audit_seals_are_append_only before update or delete on punctual.audit_seals
  for each row execute function punctual.refuse_audit_change('chain');
create trigger audit_seals_are_not_truncated before truncate on punctual.audit_seals
  for each statement execute function punctual.refuse_audit_change();
create trigger audit_heads_are_not_deleted before delete on punctual.audit_heads
  for each row execute function punctual.refuse_audit_change('chain');
create trigger audit_heads_only_advance before update on punctual.audit_heads
  for each row when (new.chain <> old.chain or new.seq <= old.seq)
  execute function punctual.refuse_audit_change('chain');
create trigger audit_heads_are_not_truncated before truncate on punctual.audit_heads
  for each statement execute function punctual.refuse_audit_change();

-- Secrets, encrypted with AES-256-GCM by a process that has a master key; the database never sees
-- one. Tenant, name and version are authenticated with the ciphertext: a row that was copied to
-- another place, or restored from an earlier version, does not decrypt.
create table punctual.secrets (
  tenant_id integer not null references punctual.tenants (id),
  name text not null,
  -- Incremented by every new value.
  version integer not null check (version > 0),
  -- The master key that encrypted the value.
  key_id text not null,
  nonce bytea not null check (octet_length(nonce) = 12),
  -- Ends with the authentication tag of 16 bytes.
  ciphertext bytea not null,
  created_at timestamptz not null,
  created_by text,
  updated_at timestamptz not null,
  updated_by text,
  primary key (tenant_id, name)
);
