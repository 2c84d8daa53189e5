-- Tells workers of new runs when the transaction commits, and the caller whether their lanes are what they were
-- when their numbers were learned: after a fail-over some may be gone, or others have their numbers.
--
-- Parameters: $1 channel, $2 hint, $3 tenant, $4 lanes integer[], $5 queues text[], $6 handlers text[],
--   $7 priorities smallint[]
-- Returns: nothing, how many of the lanes are as they were
-- Locks: none. Index: primary key of lanes.
select
  -- Some clients cannot read what has no type.
  pg_notify($1::text, $2::text)::text,
  (
    select count(*)::integer
    from unnest($4::integer[], $5::text[], $6::text[], $7::smallint[]) as g (id, queue, handler, priority)
    join punctual.lanes l
      on l.id = g.id and l.tenant_id = $3::integer and l.queue = g.queue and l.handler = g.handler
      and l.priority = g.priority
  ) as known
