-- One range of a page of runs: reads up to a number of runs from the sources that a filter leads
-- to, and returns or counts those that match. Each run is read in its current place, in one
-- snapshot. Runs beyond the edge were not read from every source and are not returned. The edge
-- itself is not the id of an existing run.
--
-- Parameters: $1 tenant, $2 to $11 the filter (runs/filter-values.ts), $12 states text[], $13 key,
--   $14 finished from and $15 before in ms, $16 claimed before in ms, $17 fingerprint (each null =
--   any), $18 whether only open dead letters, $19 sources text[], $20 before this id, $21 from this
--   id, $22 most rows to read per source, $23 most rows, $24 before this end in microseconds (null
--   = from the last), $25 whether runs have to be read, $26 what to count by (null = return the
--   rows), $27 the label to count by, $28 among those that ended at $24, before this id, $29 where
--   to read the states of the runs: ended, letters and the names of places, text[]
-- Returns: number of rows read, edge (null when the range is exhausted), edge_us, then the columns
--   of a row (runs/pages/rows.ts), or the group and its number of runs in id and priority; one row
--   that is null after edge_us when none matches
-- Types: looked!, edge_us text, at_us text, state RunState, labels Labels
-- Locks: none. Index: one per source: primary keys, runs_lane, runs_job, runs_key, later_lane,
--   parked_lane, queue_lane_pos,
--   outcomes_failed_run, outcomes_failed, dead_letters_print, dead_letters_open_run,
--   dead_letters_open. Planned again for each call.
with bound as materialized (
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms
),
chosen as materialized (
  select id, greatest($23::bigint + 16, $22::bigint / count(*) over ()) as most
  from punctual.lanes
  where tenant_id = $1::integer and ($2::text is null or queue = $2::text) and ($3::text is null or handler = $3::text)
),
-- Sources that only name a run leave its other columns null.
nothing as (
  select
    null::text as state, null::smallint as attempt, null::timestamptz as started_at, null::timestamptz as finished_at,
    null::text as error, null::bigint as session_id, null::uuid as replayed_as, null::text as fingerprint
),
looked as materialized (
  (select
     'runs' as source, $22::bigint as most, null::timestamptz as at, id, tenant_id, lane, job_id, labels, key, due_at, created_at,
     n.*
   from punctual.runs
   cross join nothing n
   where 'runs' = any ($19::text[]) and id < $20::uuid and id >= $21::uuid
   order by id desc
   limit $22::bigint)
  union all
  select 'lane ' || c.id, c.most, null, r.*, n.*
  from chosen c
  cross join nothing n
  cross join lateral (
    select id, tenant_id, lane, job_id, labels, key, due_at, created_at
    from punctual.runs
    where lane = c.id and id < $20::uuid and id >= $21::uuid
    order by id desc
    limit c.most
  ) r
  where 'lanes' = any ($19::text[])
  union all
  (select 'job', $22::bigint, null, id, tenant_id, lane, job_id, labels, key, due_at, created_at, n.*
   from punctual.runs
   cross join nothing n
   where 'job' = any ($19::text[]) and job_id = $4::uuid and id < $20::uuid and id >= $21::uuid
   order by id desc
   limit $22::bigint)
  union all
  (select 'key', $22::bigint, null, id, tenant_id, lane, job_id, labels, key, due_at, created_at, n.*
   from punctual.runs
   cross join nothing n
   where 'key' = any ($19::text[]) and tenant_id = $1::integer and key = $13::text
     and id < $20::uuid and id >= $21::uuid
   order by id desc
   limit $22::bigint)
  union all
  (select 'ids', $22::bigint, null, id, tenant_id, lane, job_id, labels, key, due_at, created_at, n.*
   from punctual.runs
   cross join nothing n
   where 'ids' = any ($19::text[]) and id = any ($11::uuid[]) and id < $20::uuid and id >= $21::uuid
   order by id desc
   limit $22::bigint)
  union all
  select
    'later ' || c.id, c.most, null, w.run_id, w.tenant_id, w.lane, w.job_id, null, null, null, null, 'scheduled',
    w.attempt, null, null, null, null, null, null
  from chosen c
  cross join lateral (
    select run_id, tenant_id, lane, job_id, attempt
    from punctual.later
    where lane = c.id and run_id < $20::uuid and run_id >= $21::uuid
    order by run_id desc
    limit c.most
  ) w
  where 'later' = any ($19::text[])
  union all
  (select
     'queue', $22::bigint, null, run_id, tenant_id, lane, job_id, null, null, null, null, case when pos >> :pos.shift <= (select ms from bound) then 'queued' else 'scheduled' end,
     attempt, null, null, null, null, null, null
   from punctual.queue
   where 'queue' = any ($19::text[]) and run_id < $20::uuid and run_id >= $21::uuid
   order by run_id desc
   limit $22::bigint)
  union all
  -- All rows of the lanes, which have no order by id; only for tenants with few of them.
  (select
     'queue-lanes', $22::bigint, null, w.run_id, w.tenant_id, w.lane, w.job_id, null, null, null, null,
     case when w.pos >> :pos.shift <= (select ms from bound) then 'queued' else 'scheduled' end,
     w.attempt, null, null, null, null, null, null
   from chosen c
   cross join lateral (
     select run_id, tenant_id, lane, job_id, attempt, pos
     from punctual.queue
     where lane = c.id
     -- Keeps PostgreSQL from walking the queue by id, through the rows of all tenants.
     offset 0
   ) w
   where 'queue-lanes' = any ($19::text[]) and w.run_id < $20::uuid and w.run_id >= $21::uuid
   order by w.run_id desc
   limit $22::bigint)
  union all
  select
    'parked ' || c.id, c.most, null, w.run_id, w.tenant_id, w.lane, w.job_id, null, null, null, null, 'waiting',
    w.attempt, null, null, null, null, null, null
  from chosen c
  cross join lateral (
    select run_id, tenant_id, lane, job_id, attempt
    from punctual.parked
    where lane = c.id and run_id < $20::uuid and run_id >= $21::uuid
    order by run_id desc
    limit c.most
  ) w
  where 'parked' = any ($19::text[])
  union all
  (select
     'leases', $22::bigint, null, run_id, tenant_id, lane, job_id, null, null, null, null, case when session_id = 0 then 'awaiting' when cancel_reason is null then 'running' else 'cancelling' end,
     attempt, coalesce(started_at, claimed_at), null, null, nullif(session_id, 0), null, null
   from punctual.leases
   where 'leases' = any ($19::text[]) and run_id < $20::uuid and run_id >= $21::uuid
   order by run_id desc
   limit $22::bigint)
  union all
  (select
     'failed', $22::bigint, null, run_id, tenant_id, lane, null, null, null, null, null, (array['succeeded', 'dead', 'cancelled', 'skipped', 'unknown'])[state],
     attempt, started_at, finished_at, coalesce(error ->> 'message', reason), session_id, replayed_as, null
   from punctual.outcomes
   where 'failed' = any ($19::text[]) and tenant_id = $1::integer and state <> :states.succeeded and run_id < $20::uuid
     and run_id >= $21::uuid
   order by run_id desc
   limit $22::bigint)
  union all
  (select
     'letters', $22::bigint, null, run_id, tenant_id, lane, job_id, null, null, null, null, 'dead', null,
     null, died_at, null, null, replayed_as, fingerprint
   from punctual.dead_letters
   where 'letters' = any ($19::text[]) and tenant_id = $1::integer and fingerprint = $17::text
     and fingerprint <> '' and (not $18::boolean or handled_at is null) and run_id < $20::uuid and run_id >= $21::uuid
   order by run_id desc
   limit $22::bigint)
  union all
  (select
     'open', $22::bigint, null, run_id, tenant_id, lane, job_id, null, null, null, null, 'dead', null,
     null, died_at, null, null, replayed_as, fingerprint
   from punctual.dead_letters
   where 'open' = any ($19::text[]) and tenant_id = $1::integer and handled_at is null and run_id < $20::uuid
     and run_id >= $21::uuid
   order by run_id desc
   limit $22::bigint)
  union all
  (select
     'ended', $22::bigint, finished_at, run_id, tenant_id, lane, null, null, null, null, null, (array['succeeded', 'dead', 'cancelled', 'skipped', 'unknown'])[state],
     attempt, started_at, finished_at, coalesce(error ->> 'message', reason), session_id, replayed_as, null
   from punctual.outcomes
   where 'ended' = any ($19::text[]) and tenant_id = $1::integer and state <> :states.succeeded
     and finished_at >= coalesce(to_timestamp($14::float8 / 1000), '-infinity')
     and finished_at < coalesce(to_timestamp($15::float8 / 1000), 'infinity')
     and finished_at <= coalesce(timestamptz 'epoch' + $24::bigint * interval '1 microsecond', 'infinity')
     and ($24::bigint is null
       or (finished_at, run_id) < (timestamptz 'epoch' + $24::bigint * interval '1 microsecond', $28::uuid))
   order by finished_at desc, run_id desc
   limit $22::bigint)
  union all
  -- Dead runs are dated by their dead letter here; it has the same instant as the end.
  (select
     'open-ended', $22::bigint, died_at, run_id, tenant_id, lane, job_id, null, null, null, null, 'dead', null,
     null, died_at, null, null, replayed_as, fingerprint
   from punctual.dead_letters
   where 'open-ended' = any ($19::text[]) and tenant_id = $1::integer and handled_at is null
     and died_at >= coalesce(to_timestamp($14::float8 / 1000), '-infinity')
     and died_at < coalesce(to_timestamp($15::float8 / 1000), 'infinity')
     and died_at <= coalesce(timestamptz 'epoch' + $24::bigint * interval '1 microsecond', 'infinity')
     and ($24::bigint is null
       or (died_at, run_id) < (timestamptz 'epoch' + $24::bigint * interval '1 microsecond', $28::uuid))
   order by died_at desc, run_id desc
   limit $22::bigint)
),
full_sources as materialized (
  select min(id::text collate "C") as last, min(at) as at
  from looked
  group by source
  having count(*) >= min(most)
),
edge as materialized (
  select
    case
      when f.at is not null then (select id from looked order by at, id limit 1)
      when rounded < $20::uuid then rounded
      else last::uuid
    end as id,
    f.at, (select count(*) from looked) as looked
  from (select 1) one
  left join (
    select last, at, (left(last, 21) || 'ff-ffffffffffff')::uuid as rounded
    from full_sources
    order by last desc
    limit 1
  ) f on true
),
matching as materialized (
  select
    l.at, l.id, p.state, c.handler, c.queue, c.priority, r.due_at, r.created_at, p.attempt, p.started_at, p.finished_at,
    p.error, p.session_id, r.job_id, r.key, r.labels, coalesce(l.fingerprint, d.fingerprint) as fingerprint,
    coalesce(l.replayed_as, d.replayed_as, p.replayed_as) as replayed_as
  from (
    -- Sorted, so that nothing is read beyond the last row that is returned.
    select looked.*
    from looked
    where at is not null or id >= coalesce((select id from edge), '00000000-0000-0000-0000-000000000000')
    order by at desc nulls last, id desc
    offset 0
  ) l
  join punctual.lanes c on c.id = l.lane
  left join lateral (
    select job_id, labels, key, due_at, created_at
    from punctual.runs
    where $25::boolean and id = l.id and id < $20::uuid and id >= $21::uuid
    limit 1
  ) x on true
  cross join lateral (
    select
      l.id, coalesce(l.job_id, x.job_id) as job_id, coalesce(l.labels, x.labels) as labels, coalesce(l.key, x.key) as key,
      coalesce(l.due_at, x.due_at) as due_at, coalesce(l.created_at, x.created_at) as created_at
  ) r
  join lateral (
    select
      (array['succeeded', 'dead', 'cancelled', 'skipped', 'unknown'])[o.state] as state, o.attempt, o.started_at,
      o.finished_at, coalesce(o.error ->> 'message', o.reason) as error, o.session_id, o.replayed_as
    from punctual.outcomes o
    where 'ended' = any ($29::text[]) and o.run_id = l.id and o.run_id < $20::uuid and o.run_id >= $21::uuid
    union all
    select
      case when s.session_id = 0 then 'awaiting' when s.cancel_reason is null then 'running' else 'cancelling' end, s.attempt,
      coalesce(s.started_at, s.claimed_at), null, null, nullif(s.session_id, 0), null
    from punctual.leases s
    where 'leases' = any ($29::text[]) and s.run_id = l.id
    union all
    select
      case when q.pos >> :pos.shift <= (select ms from bound) then 'queued' else 'scheduled' end, q.attempt, null, null, null,
      null, null
    from punctual.queue q
    where 'queue' = any ($29::text[]) and q.run_id = l.id
    union all
    select 'scheduled', w.attempt, null, null, null, null, null
    from punctual.later w
    where 'later' = any ($29::text[]) and w.run_id = l.id
    union all
    select 'waiting', k.attempt, null, null, null, null, null
    from punctual.parked k
    where 'parked' = any ($29::text[]) and k.run_id = l.id
    union all
    select l.state, l.attempt, l.started_at, l.finished_at, l.error, l.session_id, l.replayed_as
    where l.state is not null
    limit 1
  ) p on true
  left join lateral (
    select fingerprint, replayed_as, handled_at
    from punctual.dead_letters
    where 'letters' = any ($29::text[]) and run_id = l.id and p.state = 'dead'
    limit 1
  ) d on true
  where l.tenant_id = $1::integer
    and ($12::text[] is null or p.state = any ($12::text[]))
    and ($13::text is null or r.key = $13::text)
    and ($14::float8 is null or coalesce(l.finished_at, p.finished_at) >= to_timestamp($14::float8 / 1000))
    and ($15::float8 is null or coalesce(l.finished_at, p.finished_at) < to_timestamp($15::float8 / 1000))
    and ($16::float8 is null or p.started_at < to_timestamp($16::float8 / 1000))
    and ($17::text is null or coalesce(l.fingerprint, d.fingerprint) = $17::text)
    and (not $18::boolean or l.fingerprint is not null or (d.fingerprint is not null and d.handled_at is null))
    -- include: run-filter
  order by l.at desc nulls last, l.id desc
  limit case when $26::text is null then $23::bigint end
),
given as (
  select
    at, id::text as id, state, handler, queue, priority::bigint as priority, due_at, created_at, attempt, started_at,
    finished_at, error, session_id, job_id, (select j.name from punctual.jobs j where j.id = m.job_id) as job, key, labels,
    fingerprint, replayed_as
  from matching m
  where $26::text is null
  union all
  select
    null, g.name, null, null, null, count(*), null, null, null, null, null, null, null, null, null, null, null, null, null
  from matching m
  cross join lateral (
    select case $26::text
      when 'state' then m.state
      when 'job' then m.job_id::text
      when 'queue' then m.queue
      when 'handler' then m.handler
      when 'label' then m.labels ->> $27::text
      when 'fingerprint' then m.fingerprint
      when 'day' then to_char(m.due_at at time zone 'UTC', 'YYYY-MM-DD')
    end as name
  ) g
  where $26::text is not null
  group by g.name
)
select
  e.looked, e.id as edge, (extract(epoch from e.at) * 1000000)::bigint as edge_us,
  (extract(epoch from g.at) * 1000000)::bigint as at_us, g.id, g.state, g.handler, g.queue, g.priority, g.due_at,
  g.created_at, g.attempt, g.started_at, g.finished_at, g.error, g.session_id, g.job_id, g.job, g.key, g.labels,
  g.fingerprint, g.replayed_as
from edge e
left join given g on true
order by g.at desc nulls last, g.id desc
