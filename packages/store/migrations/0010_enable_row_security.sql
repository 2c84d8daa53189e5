-- Row security: requests of a tenant run as a role that reads and writes only the rows of that
-- tenant, should a statement ever lack its tenant predicate. The tenant is a setting of the
-- transaction. While it is unset or empty, the role sees no row.
--
-- Row security is enabled and not forced: the engine works across tenants as the owner of the
-- tables. Other roles, to which an administrator granted the tables, see all rows too.

-- The name of the role. Roles belong to the whole server, so that its privileges are granted in
-- each database.
create function punctual.tenant_role() returns text
language sql immutable as $$
  select split_part('punctual.tenant', '.', 1) || '_tenant'
$$;

-- The privileges of the role on a table, and the conditions of its policy: `sees` for the rows that
-- it reads, updates and deletes, `writes` for the rows that it inserts or leaves behind. A table
-- without a tenant_id that is not named here gets no privileges, so that a table that is added
-- later is closed until a migration decides.
create function punctual.row_security_of(
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
    else null;
  end case;
  writes := coalesce(writes, sees);
end
$$;

-- Enables row security on one table, and creates what is missing of its policy and privileges. The
-- owner of the table calls it; so does the code that creates the partition of a day, because
-- statements that name a partition bypass the policy of its parent.
create function punctual.enable_row_security(place regclass) returns void
language plpgsql as $$
declare
  role text := punctual.tenant_role();
  rule record := punctual.row_security_of(place);
  others text := format('(select current_user <> %L)', role);
begin
  if rule.rights is null then
    return;
  end if;
  if not (select c.relrowsecurity from pg_class c where c.oid = place) then
    execute format('alter table %s enable row level security', place);
  end if;
  if not exists (select from pg_policy p where p.polrelid = place and p.polname = 'tenant_isolation') then
    execute format(
      'create policy tenant_isolation on %s using (%s or (%s)) with check (%s or (%s))',
      place, others, rule.sees, others, rule.writes);
  end if;
  if to_regrole(role) is not null
    and not has_any_column_privilege(role, place, 'select, insert')
  then
    execute format('grant %s on %s to %I', rule.rights, place, role);
  end if;
end
$$;

-- Creates the role, if the caller may, and the row security of all tables. What exists stays
-- unchanged.
create function punctual.enable_all_row_security() returns void
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
      -- The installation then works without row security; `punctual doctor` and the guarantees
      -- report it.
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
end
$$;

-- Whether the current user may set the role.
create function punctual.may_be_tenant() returns boolean
language sql stable as $$
  select coalesce(
    pg_has_role(
      current_user, to_regrole(punctual.tenant_role())::oid,
      case
        when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member'
      end),
    false)
$$;

select punctual.enable_all_row_security();
