-- Gives runs that wait for a moment of their rate an earlier one, where those before them have left it: in their order, at the
-- interval of the rate, behind what has started. A run that is being changed stays, and with it all behind it: whoever changes it may
-- leave it its moment. In a transaction that holds the rate (lock-rate).
--
-- Parameters: $1 rate, $2 after this moment in us, $3 most runs looked at
-- Returns: one row: how many were looked at, how many were moved, the last moment among them (null when there is none), whether one was
--   passed by, the lanes of those moved (null when there are none)
-- Locks: queue (skip locked), gated, new queue rows, the rate. Index: gated_rate, primary keys. Pinned: no sequential scan.
with now as materialized (
  select (date_part('epoch', clock_timestamp()) * 1000000)::bigint as us
),
used as materialized (
  select max(used_us) as us from punctual.rate_starts where rate = $1::bigint
),
bound as materialized (
  -- Of a fast rate, of whose starts nothing is kept, workers are always about to take the next ones: these stay.
  select greatest($2::bigint, now.us + case when used.us is null then 1000000 else 0 end) as us from now, used
),
page as materialized (
  select g.run_id, g.booked_us, g.rate_interval_us, g.rate_burst
  from punctual.gated g
  where g.rate = $1::bigint and g.booked_us > (select us from bound)
  order by g.booked_us
  limit $3::integer
),
ahead as materialized (
  -- One that is elsewhere was promoted, or given a time of its own: it does not wait for its moment.
  select p.run_id, p.booked_us, row_number() over (order by p.booked_us, p.run_id) - 1 as turn
  from page p
  cross join lateral (
    select
    from punctual.queue q
    where q.run_id = p.run_id and q.pos >> 20 = ceil(p.booked_us / 1000.0)::bigint
    limit 1
  ) q
),
base as materialized (
  -- Had none been saved up, the next one could start then. A second is left to workers, for which a moment of the past is good; and
  -- where nothing is kept of starts, those of the past are over by then.
  select
    greatest(
      now.us + 1000000,
      (select us from used),
      (select g.booked_us + g.rate_interval_us * g.rate_burst
       from punctual.gated g
       where g.rate = $1::bigint and g.booked_us <= (select us from bound)
       order by g.booked_us desc
       limit 1)) as us,
    (select max(rate_interval_us) from page) as interval_us, (select min(rate_burst) from page) as burst
  from now
),
planned as materialized (
  select a.run_id, a.turn, b.us + b.interval_us * (a.turn - b.burst + 1) as start_us
  from ahead a, base b
  where b.us + b.interval_us * (a.turn - b.burst + 1) < a.booked_us
),
locked as materialized (
  select q.run_id
  from planned p
  join punctual.queue q on q.run_id = p.run_id
  for update of q skip locked
),
stop as materialized (
  select min(turn) as turn from planned where run_id not in (select run_id from locked)
),
moved as (
  delete from punctual.queue q
  using planned p
  where q.run_id = p.run_id and p.turn < coalesce((select turn from stop), $3::integer)
  returning q.run_id, q.tenant_id, q.lane, q.attempt, q.crashes, q.traits, q.job_id, p.turn, p.start_us
),
queued as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  -- A position is never in the past: a claim that has passed it would not come back.
  select
    run_id, (greatest(ceil(start_us / 1000.0)::bigint, now.us / 1000) << 20) | (turn & 1048575), tenant_id, lane, attempt,
    crashes, traits, job_id
  from moved, now
),
noted as (
  update punctual.gated g
  set booked_us = m.start_us
  from moved m
  where g.run_id = m.run_id
),
lowered as (
  -- Only behind the last of them is it known what is used.
  update punctual.rates r
  set next_us = least(r.next_us, b.us + coalesce(b.interval_us, 0) * (select count(*) from ahead))
  from base b
  where r.rate = $1::bigint and (select turn from stop) is null and (select count(*) from page) < $3::integer
)
select
  (select count(*) from page) as looked, (select count(*) from moved) as moved,
  greatest(
    (select max(start_us) from moved),
    (select max(booked_us) from page where run_id not in (select run_id from moved))) as last_us,
  (select turn from stop) is not null as stopped,
  (select array_agg(distinct lane) from moved) as lanes
