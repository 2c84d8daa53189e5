-- The second wall between tenants, behind the predicates of the statements: requests of a tenant run as a role that sees
-- and writes the rows of that tenant only (docs/concepts/tenant-wall.md). The tenant is a setting of the transaction; as
-- long as it is unset or empty there is no row at all.
--
-- Row security is enabled and not forced: the engine works across tenants, as the owner. Other roles, to which an
-- administrator has granted tables, see what they saw before.

-- The role of requests. One for all databases of a server: what it may do is said in each.
create function punctual.tenant_role() returns text
language sql immutable as $$
  select split_part('punctual.tenant', '.', 1) || '_tenant'
$$;

-- What the role may do to a table, and with which rows: `sees` are those that it reads, changes and deletes, `writes`
-- what it may leave behind. No rights where nothing is said: a table that is added without a tenant is closed to it.
create function punctual.wall_of(
  place regclass, out rights text, out sees text, out writes text
) language plpgsql stable as $$
declare
  tenant constant text := '(select nullif(current_setting(''punctual.tenant'', true), '''')::integer)';
  root regclass := coalesce((select i.inhparent from pg_inherits i where i.inhrelid = place), place);
  of_tenant boolean := exists (
    select from pg_attribute
    where attrelid = place and attname = 'tenant_id' and not attisdropped);
begin
  rights := case when of_tenant then 'select, insert, update, delete' end;
  sees := case when of_tenant then 'tenant_id = ' || tenant end;
  case (select c.relname from pg_class c where c.oid = root)
    when 'tenants' then
      -- Its own row; who locks it needs to be allowed to change something of it.
      rights := 'select, update (note)';
      sees := 'id = ' || tenant;
    when 'audit_log' then
      rights := 'select, insert';
    when 'audit_unsealed' then
      -- That an entry waits for its place, which the sealer gives it.
      rights := 'select, insert';
      sees := 'chain = ' || tenant;
    when 'audit_seals', 'audit_heads' then
      rights := 'select';
      sees := 'chain = ' || tenant;
    when 'sessions' then
      -- Workers without a tenant work for all: whether one is there is told, and nothing of them is changed.
      writes := sees;
      sees := sees || ' or tenant_id is null';
    when 'past_sessions', 'timings', 'day_sums' then
      -- Workers that worked for all, rules that are kept once for all who have the same, how far sums have come.
      rights := 'select';
      sees := 'true';
    when 'rates' then
      -- When the next of a hash may start: it names nobody.
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
      -- Written in the statement that makes the run.
      writes := 'true';
    else null;
  end case;
  writes := coalesce(writes, sees);
end
$$;

-- Makes the wall of one table, where it is missing. Whoever owns the table calls it.
create function punctual.raise_wall(place regclass) returns void
language plpgsql as $$
declare
  role text := punctual.tenant_role();
  wall record := punctual.wall_of(place);
  others text := format('(select current_user <> %L)', role);
begin
  if wall.rights is null then
    return;
  end if;
  if not (select c.relrowsecurity from pg_class c where c.oid = place) then
    execute format('alter table %s enable row level security', place);
  end if;
  if not exists (select from pg_policy p where p.polrelid = place and p.polname = 'wall') then
    execute format(
      'create policy wall on %s using (%s or (%s)) with check (%s or (%s))',
      place, others, wall.sees, others, wall.writes);
  end if;
  if to_regrole(role) is not null and not has_any_column_privilege(role, place, 'select, insert') then
    execute format('grant %s on %s to %I', wall.rights, place, role);
  end if;
end
$$;

-- Makes the role, where it may, and the walls of all tables; what there is stays as it is.
create function punctual.raise_walls() returns void
language plpgsql as $$
declare
  role text := punctual.tenant_role();
  place regclass;
begin
  if to_regrole(role) is null then
    begin
      execute format('create role %I nologin', role);
    exception
      -- Another database of this server makes it at this moment.
      when duplicate_object or unique_violation then null;
      -- Then there is no second wall; the doctor and the guarantees say so.
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
    where c.relnamespace = split_part('punctual.tenant', '.', 1)::regnamespace and c.relkind in ('r', 'p')
  loop
    perform punctual.raise_wall(place);
  end loop;
end
$$;

-- Whether whoever asks may work as the role.
create function punctual.may_be_tenant() returns boolean
language sql stable as $$
  select coalesce(
    pg_has_role(
      current_user, to_regrole(punctual.tenant_role())::oid,
      case when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member' end),
    false)
$$;

select punctual.raise_walls();
