-- Moves the bookings of waiting runs forward when earlier bookings of their rate were given up: in
-- their order, at the interval of the rate, after the starts so far. A run that another transaction
-- is changing keeps its booking, and so do all runs after it: that transaction may leave the
-- booking unchanged. The transaction has to hold the rate (lock-rate).
--
-- Parameters: $1 rate, $2 after this booking in us, $3 most runs to read
-- Returns: one row: how many were read, how many were moved, the last booking among them (null when
--   there is none), whether a run that was locked stopped it, the lanes of the moved runs (null
--   when there are none)
-- Types: looked!, moved!, last_us text, stopped!
-- Locks: queue (skip locked), gated, new queue rows, the rate. Index: gated_rate, primary keys.
--   Pinned: no sequential scan.
with now as materialized (
  select (date_part('epoch', clock_timestamp()) * 1000000)::bigint as us
),
used as materialized (
  select max(used_us) as us from punctual.rate_starts where rate = $1::bigint
),
bound as materialized (
  -- Starts of a fast rate are not recorded, and workers are always about to claim its next runs:
  -- these keep their bookings.
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
  -- A run that is elsewhere was promoted or rescheduled: it does not wait for its booking.
  select p.run_id, p.booked_us, row_number() over (order by p.booked_us, p.run_id) - 1 as turn
  from page p
  cross join lateral (
    select
    from punctual.queue q
    where q.run_id = p.run_id and q.pos >> :pos.shift = ceil(p.booked_us / 1000.0)::bigint
    limit 1
  ) q
),
base as materialized (
  -- The next start if no burst had been saved up. One second is left to workers, for which a
  -- booking in the past is fine; without recorded starts, bookings in the past have been used by
  -- then.
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
  -- Never in the past: a claim that has passed a position does not come back to it.
  select
    run_id, (greatest(ceil(start_us / 1000.0)::bigint, now.us / 1000) << :pos.shift) | (turn & :pos.sequence), tenant_id, lane, attempt,
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
  -- The used part of the rate is known only after the last run was read.
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
