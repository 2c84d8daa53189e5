-- Row security that was in force stays required: a node that cannot use it refuses the requests of
-- tenants instead of performing them without it. And the tenant role, which belongs to the whole
-- server and may be shared by several databases, gives a session rows only if the user that logged
-- in has been granted the tables of this schema: members of the role that belong to another
-- database see and write nothing here.

-- One row once row security has been in force. Restored with a backup, so that a server without the
-- role is noticed. An administrator who wants to do without row security deletes the row.
create table punctual.row_security (
  one boolean primary key default true check (one),
  required_since timestamptz not null default clock_timestamp()
);

-- The condition that precedes those of all policies: whether the user that logged in may read this
-- schema without the role. The role itself may not read `migrations`.
create function punctual.session_condition() returns text
language sql immutable as $$
  select '(select has_table_privilege(session_user, ''punctual.migrations''::regclass, ''select''))'
$$;

-- Runs that changed while retention copies live runs of an old day (packages/store/src/schema/
-- carrying.ts). Empty at all other times. The trigger is on the tables that are being copied only.
create table punctual.carried_changes (
  run_id uuid not null
);

create function punctual.note_carried_change() returns trigger
language plpgsql as $$
declare
  changed uuid;
begin
  if tg_op = 'DELETE' then
    execute format('select ($1).%I', tg_argv[0]) into changed using old;
  else
    execute format('select ($1).%I', tg_argv[0]) into changed using new;
  end if;
  insert into punctual.carried_changes values (changed);
  return null;
end
$$;

-- As in migration 0010, and the table above.
create or replace function punctual.row_security_of(
  place regclass, out rights text, out sees text, out writes text
) language plpgsql stable as $$
declare
  tenant constant text :=
    '(select nullif(current_setting(''punctual.tenant'', true), '''')::integer)';
  root regclass :=
    coalesce((select i.inhparent from pg_inherits i where i.inhrelid = place), place);
  of_tenant boolean := exists (
    select from pg_attribute
    where attrelid = place and attname = 'tenant_id' and not attisdropped);
begin
  rights := case when of_tenant then 'select, insert, update, delete' end;
  sees := case when of_tenant then 'tenant_id = ' || tenant end;
  case (select c.relname from pg_class c where c.oid = root)
    when 'tenants' then
      -- Its own row. Locking a row takes the privilege to update some column of it.
      rights := 'select, update (note)';
      sees := 'id = ' || tenant;
    when 'audit_log' then
      rights := 'select, insert';
    when 'audit_unsealed' then
      -- The statement that adds an entry also marks it as unsealed. The sealer runs as the owner.
      rights := 'select, insert';
      sees := 'chain = ' || tenant;
    when 'audit_seals', 'audit_heads' then
      rights := 'select';
      sees := 'chain = ' || tenant;
    when 'sessions' then
      -- Workers without a tenant serve all tenants: a tenant sees that they exist and cannot change
      -- them.
      writes := sees;
      sees := sees || ' or tenant_id is null';
    when 'past_sessions', 'timings', 'day_sums' then
      -- Workers that have left, rules that all tenants share, and how far sums are written.
      rights := 'select';
      sees := 'true';
    when 'rates' then
      -- Hashes and instants, which identify no tenant.
      rights := 'select, insert, update, delete';
      sees := 'true';
    when 'group_members' then
      rights := 'select, insert, update, delete';
      sees := 'exists (select from punctual.groups g where g.id = group_id)';
    when 'job_holds' then
      rights := 'select, insert, update, delete';
      sees := 'exists (select from punctual.jobs j where j.id = job_id)';
    when 'gated' then
      rights := 'select, insert, update, delete';
      sees := 'exists (select from punctual.runs r where r.id = run_id)';
      -- Inserted in the statement that inserts the run, which the policy would not see yet.
      writes := 'true';
    when 'carried_changes' then
      -- A trigger adds a row when a run changes while retention carries it over.
      rights := 'insert';
      sees := 'false';
      writes := 'true';
    else null;
  end case;
  writes := coalesce(writes, sees);
end
$$;

-- Enables row security on one table, and creates what is missing of its policy and privileges. The
-- owner of the table calls it; so does the code that creates partitions, because statements that
-- name a partition bypass the policy of its parent.
create or replace function punctual.enable_row_security(place regclass) returns void
language plpgsql as $$
declare
  role text := punctual.tenant_role();
  rule record := punctual.row_security_of(place);
  others text := format('(select current_user <> %L)', role);
  session text := punctual.session_condition();
begin
  if rule.rights is null then
    return;
  end if;
  if not (select c.relrowsecurity from pg_class c where c.oid = place) then
    execute format('alter table %s enable row level security', place);
  end if;
  if not exists (select from pg_policy p where p.polrelid = place and p.polname = 'tenant_isolation') then
    execute format(
      'create policy tenant_isolation on %s using (%s or (%s and (%s))) with check (%s or (%s and (%s)))',
      place, others, session, rule.sees, others, session, rule.writes);
  end if;
  if to_regrole(role) is not null
    and not has_any_column_privilege(role, place, 'select, insert')
  then
    execute format('grant %s on %s to %I', rule.rights, place, role);
  end if;
end
$$;

-- Whether the role could see more than the policies allow.
create function punctual.tenant_role_is_strong() returns boolean
language sql stable as $$
  select exists (
    select from pg_roles r
    where r.rolname = punctual.tenant_role()
      and (r.rolsuper or r.rolbypassrls or r.rolcanlogin or r.rolcreaterole))
$$;

-- Creates the role, if the caller may, and the row security of all tables, and from then on
-- requires it. What exists stays unchanged.
create or replace function punctual.enable_all_row_security() returns void
language plpgsql as $$
declare
  role text := punctual.tenant_role();
  place regclass;
begin
  if to_regrole(role) is null then
    begin
      execute format('create role %I nologin', role);
    exception
      -- Another database of this server has just created it.
      when duplicate_object or unique_violation then null;
      -- Without the role there is no row security; `punctual doctor` and the guarantees report it.
      when insufficient_privilege then null;
    end;
  end if;
  if to_regrole(role) is not null then
    begin
      if not punctual.may_be_tenant() then
        execute format('grant %I to current_user', role);
      end if;
    exception
      when insufficient_privilege then null;
    end;
    if not has_schema_privilege(role, split_part('punctual.tenant', '.', 1), 'usage') then
      execute format('grant usage on schema %I to %I', split_part('punctual.tenant', '.', 1), role);
    end if;
  end if;
  for place in
    select c.oid::regclass
    from pg_class c
    where c.relnamespace = split_part('punctual.tenant', '.', 1)::regnamespace
      and c.relkind in ('r', 'p')
  loop
    perform punctual.enable_row_security(place);
  end loop;
  if punctual.may_be_tenant() and not punctual.tenant_role_is_strong() then
    insert into punctual.row_security default values on conflict (one) do nothing;
  end if;
end
$$;

-- Counts the groups of a tenant that are not done, when another one is made.
create index groups_open_tenant on punctual.groups (tenant_id) where done_at is null;

-- Existing policies get the condition. Their tables are those that exist; a table that a node of an
-- earlier version creates meanwhile gets it from the function above.
do $$
declare
  place regclass;
  rule record;
  others text := format('(select current_user <> %L)', punctual.tenant_role());
  session text := punctual.session_condition();
begin
  for place in
    select p.polrelid::regclass
    from pg_policy p
    join pg_class c on c.oid = p.polrelid
    where c.relnamespace = split_part('punctual.tenant', '.', 1)::regnamespace
      and p.polname = 'tenant_isolation'
  loop
    rule := punctual.row_security_of(place);
    execute format(
      'alter policy tenant_isolation on %s using (%s or (%s and (%s))) with check (%s or (%s and (%s)))',
      place, others, session, rule.sees, others, session, rule.writes);
  end loop;
end
$$;

select punctual.enable_all_row_security();
