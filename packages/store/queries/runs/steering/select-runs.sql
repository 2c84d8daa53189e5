-- Live runs that match a filter, in order of their ids, one range of ids at a time. Each run is in
-- exactly one place, and a range is read in one snapshot, so a run that moves between places
-- meanwhile is not missed.
--
-- Parameters: $1 tenant, $2 to $11 the filter (runs/filter-values.ts), $12 after this id, $13 most
--   rows to read, $14 states text[]. If the filter names ids, all of them are read, and $12 and
--   $13 are ignored.
-- Returns: one row: the id to continue after (null at the end), and the matches as JSON, each with
--   its id and its state
-- Types: runs LiveRuns!
-- Locks: none. Index: primary keys of the places, from the given id on; runs by id. Pinned: no
--   sequential scan.
with bound as materialized (
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms
),
looked as materialized (
  select run_id, lane, state
  from (
    (select run_id, lane, 'scheduled' as state
     from punctual.later
     where $11::uuid[] is null and run_id > $12::uuid
     order by run_id
     limit $13::integer)
    union all
    (select run_id, lane, case when pos >> :pos.shift <= (select ms from bound) then 'queued' else 'scheduled' end
     from punctual.queue
     where $11::uuid[] is null and run_id > $12::uuid
     order by run_id
     limit $13::integer)
    union all
    (select run_id, lane, 'waiting'
     from punctual.parked
     where $11::uuid[] is null and run_id > $12::uuid
     order by run_id
     limit $13::integer)
    union all
    (select run_id, lane, case when session_id = 0 then 'awaiting' when cancel_reason is null then 'running' else 'cancelling' end
     from punctual.leases
     where $11::uuid[] is null and run_id > $12::uuid
     order by run_id
     limit $13::integer)
    order by run_id
    limit $13::integer
  ) stretch
  union all
  select run_id, lane, 'scheduled' from punctual.later where run_id = any ($11::uuid[])
  union all
  select run_id, lane, case when pos >> :pos.shift <= (select ms from bound) then 'queued' else 'scheduled' end
  from punctual.queue
  where run_id = any ($11::uuid[])
  union all
  select run_id, lane, 'waiting' from punctual.parked where run_id = any ($11::uuid[])
  union all
  select run_id, lane, case when session_id = 0 then 'awaiting' when cancel_reason is null then 'running' else 'cancelling' end
  from punctual.leases
  where run_id = any ($11::uuid[])
),
matching as materialized (
  select l.run_id, l.state
  from looked l
  join punctual.lanes c on c.id = l.lane
  join punctual.runs r on r.id = l.run_id
  where l.state = any ($14::text[]) and c.tenant_id = $1::integer
  -- include: run-filter
  order by l.run_id
)
select
  (select case when $11::uuid[] is null and count(*) = $13::integer then max(run_id::text) end from looked) as next,
  (
    select coalesce(json_agg(json_build_object('id', run_id, 'state', state)), '[]')
    from matching
  ) as runs
