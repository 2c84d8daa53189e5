-- Who changed what: an entry for each control write, written in the transaction of the change itself. Entries are never
-- updated: where an entry stands in the chain of its tenant is in a table of its own.

create table punctual.audit_log (
  -- A UUIDv7, made by the node that writes: a number of the installation would tell a tenant how much others do.
  id uuid primary key,
  at timestamptz not null default clock_timestamp(),
  -- Null for the installation. Without a reference: an entry outlives its tenant.
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

-- Entries that have no place in a chain yet. A row comes with its entry, in one statement, and becomes visible with it: one
-- that commits late is found late. "Entries after the last sealed one" would pass it by, as ids are made before commits.
create table punctual.audit_unsealed (
  entry_id uuid primary key references punctual.audit_log (id) on delete cascade,
  chain integer not null
) with (vacuum_truncate = off);

-- The chain of each tenant, 0 for the installation. content = sha256 of the entry; hash = sha256 of the hash before it,
-- the place and the content. Without a reference to the entry: one that was removed leaves its seal behind.
create table punctual.audit_seals (
  chain integer not null,
  seq bigint not null check (seq > 0),
  entry_id uuid not null unique,
  content bytea not null check (octet_length(content) = 32),
  hash bytea not null check (octet_length(hash) = 32),
  sealed_at timestamptz not null default clock_timestamp(),
  primary key (chain, seq)
);

-- The end of each chain.
create table punctual.audit_heads (
  chain integer primary key,
  seq bigint not null,
  hash bytea not null,
  sealed_at timestamptz not null
) with (fillfactor = 50);

-- Whoever owns the tables is refused too. Erasing a tenant is the one exception: its transaction names the tenant. The
-- argument is the column that tells whose row it is.
create function punctual.refuse_audit_change() returns trigger
language plpgsql as $$
begin
  -- Unset it is null or, after a transaction that had it, empty: both refuse.
  if tg_op = 'DELETE' and to_jsonb(old) ->> tg_argv[0] = nullif(current_setting('punctual.erasing_tenant', true), '') then
    return old;
  end if;
  raise exception using
    errcode = 'PN002',
    message = format('The audit log is append-only: %s of %s is refused.', lower(tg_op), tg_table_name);
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

-- Secrets of tenants, encrypted with AES-256-GCM by whoever has a master key; the database never sees one. Tenant, name and
-- version are authenticated with the text: a row that is copied elsewhere, or put back from before, does not decrypt.
create table punctual.secrets (
  tenant_id integer not null references punctual.tenants (id),
  name text not null,
  -- Counts up with every new value.
  version integer not null check (version > 0),
  -- Which master key it is encrypted with.
  key_id text not null,
  nonce bytea not null check (octet_length(nonce) = 12),
  -- With the tag of 16 bytes at its end.
  ciphertext bytea not null,
  created_at timestamptz not null,
  created_by text,
  updated_at timestamptz not null,
  updated_by text,
  primary key (tenant_id, name)
);
