-- Counts the rows of one kind that a tenant has, for a statement that adds one if there is room.
--
-- Transactions that count the same kind of rows of a tenant follow each other: each waits until the
-- one before has ended. Because the function is volatile, the count has a later snapshot than the
-- wait, and so sees what the one before has added. A count in the calling statement would not: its
-- snapshot is older than its locks.

create function punctual.rows_of_tenant(tenant integer, kind text, most bigint) returns bigint
language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(
    hashtextextended(concat('punctual.tenants'::regclass::oid, ' ', tenant, ' ', kind), 6015));
  return case kind
    when 'api keys' then
      (select count(*) from (
        select from punctual.api_keys k where k.tenant_id is not distinct from tenant limit most) as found)
    when 'calendars' then
      (select count(*) from (
        select from punctual.calendars c where c.tenant_id = tenant limit most) as found)
    when 'limits' then
      (select count(*) from (
        select from punctual.limits m where m.tenant_id = tenant and m.queue is not null limit most) as found)
    when 'pauses' then
      (select count(*) from (
        select from punctual.pauses p where p.tenant_id = tenant and p.queue is not null limit most) as found)
    when 'secrets' then
      (select count(*) from (
        select from punctual.secrets s where s.tenant_id = tenant limit most) as found)
    when 'sessions' then
      (select count(*) from (
        select from punctual.sessions s where s.tenant_id = tenant limit most) as found)
  end;
end
$$;
