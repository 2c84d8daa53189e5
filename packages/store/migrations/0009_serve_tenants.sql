-- Tenants that are limited, suspended and erased, and the keys by which callers are known.

alter table punctual.tenants
  -- What it may have and do: core/src/identity/quotas.ts. What is not named is not limited.
  add column quotas jsonb not null default '{}' check (jsonb_typeof(quotas) = 'object'),
  add column suspended_at timestamptz,
  -- From then on nothing of it can be used, and everything of it is being deleted.
  add column erasing_at timestamptz,
  -- Nothing of it is left but this row: its number is never used again, its name is free.
  add column erased_at timestamptz,
  add column note text,
  add column created_by text,
  add column suspended_by text,
  add column suspended_note text,
  add check (erased_at is null or erasing_at is not null);

-- The pause of a suspended tenant stands beside those of its own, so that the one ends without the other.
alter table punctual.pauses add column of_suspension boolean not null default false;
alter table punctual.pauses drop constraint pauses_tenant_id_queue_key;
alter table punctual.pauses add unique nulls not distinct (tenant_id, queue, of_suspension);

-- How many submissions of a tenant were granted in a second of the database's clock; of tenants that have such a quota.
create table punctual.tenant_submissions (
  second bigint not null,
  granted bigint not null,
  -- How many of them by the last statement.
  last bigint not null,
  tenant_id integer primary key references punctual.tenants (id)
) with (fillfactor = 50, vacuum_truncate = off);

create table punctual.api_keys (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz,
  -- Written at most once a minute.
  last_used_at timestamptz,
  -- Null for keys of the whole installation.
  tenant_id integer references punctual.tenants (id),
  name text not null,
  -- The public part.
  prefix text not null unique,
  -- SHA-256 of the whole key, which has 190 random bits: nothing slower is needed.
  hash bytea not null check (octet_length(hash) = 32),
  scopes text[] not null check (
    cardinality(scopes) > 0
    and scopes <@ array['read', 'submit', 'operate', 'worker', 'admin', 'system']),
  rotated_to uuid references punctual.api_keys (id) on delete set null,
  created_by text,
  revoked_by text,
  check ((tenant_id is null) = ('system' = any (scopes)))
) with (fillfactor = 80);

create index api_keys_tenant on punctual.api_keys (tenant_id, created_at);

-- Submissions in SQL keep to what a tenant may have, but for its submissions a second: whoever took of those in a transaction
-- would keep every other node from taking some until its end.
alter function punctual.submit(text, jsonb, jsonb) rename to accept_submission;

create function punctual.submit(handler text, payload jsonb default 'null', options jsonb default '{}') returns uuid
language plpgsql security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  given jsonb := punctual.given_options(options);
  tenant_name text := coalesce(punctual.text_option(given, 'tenant', 128), 'default');
  quotas jsonb;
  suspended boolean;
  used bigint;
begin
  select t.quotas, t.suspended_at is not null or t.erasing_at is not null into quotas, suspended
  from punctual.tenants t
  where t.name = tenant_name;
  if suspended then
    perform punctual.refuse('tenant_suspended', format('The tenant %s is suspended: nothing is accepted for it.', tenant_name));
  end if;
  if quotas <> '{}' then
    used := octet_length(punctual.payload_text(payload));
    if used > (quotas ->> 'payloadBytes')::bigint then
      perform punctual.refuse('quota_exceeded', format(
        'The quota payloadBytes of the tenant is %s (bytes of a payload), and this would make it %s.',
        quotas ->> 'payloadBytes', used));
    end if;
    used := punctual.integer_option(given, 'timeout_ms', 1, 2000000000, 300000);
    if used > (quotas ->> 'timeoutMs')::bigint then
      perform punctual.refuse('quota_exceeded', format(
        'The quota timeoutMs of the tenant is %s (ms of a timeout), and this would make it %s.', quotas ->> 'timeoutMs', used));
    end if;
  end if;
  return punctual.accept_submission(handler, payload, options);
end
$$;
