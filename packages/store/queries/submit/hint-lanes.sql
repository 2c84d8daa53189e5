-- Notifies workers of new runs when the transaction commits. Also checks that lanes still have the
-- numbers under which the caller knows them: after a fail-over some may be missing, or their
-- numbers may belong to others.
--
-- Parameters: $1 channel, $2 hint, $3 tenant, $4 lanes integer[], $5 queues text[], $6 handlers
--   text[], $7 priorities smallint[]
-- Returns: the empty result of pg_notify, how many of the lanes are unchanged
-- Types: known!
-- Locks: none. Index: primary key of lanes.
select
  -- Some clients cannot read a column of type void.
  pg_notify($1::text, $2::text)::text,
  (
    select count(*)::integer
    from unnest($4::integer[], $5::text[], $6::text[], $7::smallint[]) as g (id, queue, handler, priority)
    join punctual.lanes l
      on l.id = g.id and l.tenant_id = $3::integer and l.queue = g.queue and l.handler = g.handler
      and l.priority = g.priority
  ) as known
