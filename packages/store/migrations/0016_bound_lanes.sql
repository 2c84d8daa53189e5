-- A tenant may name any number of queues: claims find the pause and the limit of a queue by
-- equality, and the number of lanes is a quota of the tenant, here as for the other ways to submit.

create index pauses_by_queue on punctual.pauses (tenant_id, (coalesce(queue, '')));
create index limits_by_queue on punctual.limits (tenant_id, (coalesce(queue, '')));

-- The lane of a queue, a handler and a priority. Names that begin with @ belong to targets. A missing lane is inserted; other sessions see it
-- when the transaction commits.
create or replace function punctual.lane_for(
  tenant integer, queue_name text, handler_name text, level smallint
) returns integer
language plpgsql as $$
declare
  lane integer;
  most integer;
begin
  if handler_name like '@%' then
    perform punctual.refuse('invalid_option', format(
      'handler must be a name that does not begin with @, which targets reserve; got %s.',
      left(to_json(handler_name)::text, 80)));
  end if;
  select coalesce((quotas ->> 'lanes')::integer, 1000) into most
  from punctual.tenants where id = tenant;
  -- Each try takes the next number of the sequence, so that numbers that are in use, where the
  -- sequence is behind the table, are skipped.
  for try in 1 .. 10000 loop
    select id into lane from punctual.lanes
    where tenant_id = tenant and queue = queue_name and handler = handler_name and priority = level;
    if found then
      return lane;
    end if;
    exit when (select count(*) from punctual.lanes where tenant_id = tenant) >= most;
    insert into punctual.lanes (tenant_id, queue, handler, priority)
    values (tenant, queue_name, handler_name, level)
    on conflict do nothing
    returning id into lane;
    if found then
      perform punctual.hint('- new ' || lane);
      return lane;
    end if;
  end loop;
  raise exception using errcode = '53400', message =
    'lanes_exhausted: The tenant has ' || most || ' combinations of queue, handler and priority, '
    || 'which is its quota of lanes. Use fewer queues, and put variable parts into labels or a key.';
end
$$;
