-- Runs whose rate is used up: they go back to the queue, to the instant at which they may start, which
-- they have booked. A booking is good for a while: what was booked during an outage does not start
-- all at once. Nothing from here on is joined: planned for few rows, it would be compared pair by
-- pair. Windows bring together what belongs together.
--
-- A rate is booked up to a horizon, so that no number of waiting runs leads to an instant that
-- positions and bigint cannot hold. Runs beyond the horizon book nothing: they go back to the queue
-- and try to book a day later. Numbers of rates saturate, so that no stored value fails the claim of
-- other lanes.
--
-- Expects: the parts taken, limits (`instant`) and holds, and `needs`.
rated as materialized (
  select
    n.n, n.run_id, n.tenant_id, n.lane, n.attempt, n.crashes, n.traits, n.job_id, g.rate,
    g.rate_interval_us, g.rate_burst, g.booked_us, g.asks,
    row_number() over (partition by g.rate, g.asks order by n.run_id) - 1 as turn,
    max(g.rate_interval_us) over (partition by g.rate, g.asks) as slowest_us,
    min(g.rate_burst) over (partition by g.rate, g.asks) as least_burst
  from numbered n
  cross join lateral (
    select
      rate, rate_interval_us, rate_burst, booked_us,
      booked_us is null
        or booked_us < (select us from instant) - greatest(200000, rate_interval_us * rate_burst)
        as asks
    from punctual.gated where run_id = n.run_id limit 1
  ) g
  where (select gated from needs) and n.traits & :traits.gated <> 0
    and n.run_id not in (select run_id from parked) and g.rate is not null
    -- Of runs whose booked start has come, only those that `used` and `noted` need.
    and (
      g.asks or g.rate_interval_us * g.rate_burst > 1000000
      or g.booked_us > (select us from instant))
),
beyond as materialized (
  -- Rates that are booked up to the horizon: one probe for each, and usually there is none. Claims
  -- at the same time do not see each other's bookings, and may each go beyond it once.
  select a.rate
  from (
    select rate, max(slowest_us * (rate_burst - 1)) as saved_us from rated where asks group by rate
  ) a
  cross join lateral (select next_us from punctual.rates r where r.rate = a.rate limit 1) r
  where r.next_us > (select us from instant) + :rates.horizon_us + a.saved_us
),
asking as materialized (
  select
    *,
    asks and turn < :rates.horizon_us / slowest_us + least_burst
      and rate not in (select rate from beyond) as books
  from rated
),
charged as (
  insert into punctual.rates as r (rate, next_us)
  select rate, (select us from instant) + max(rate_interval_us) * count(*)
  from asking where books group by rate order by rate
  on conflict (rate) do update
    set next_us = least(greatest(r.next_us, (select us from instant)), :rates.us_max)
      + (excluded.next_us - (select us from instant))
  returning rate, next_us
),
booked as materialized (
  -- The runs of a rate follow each other at its interval; as many as may be saved up start at once.
  -- A run that was promoted starts now instead.
  select
    n, run_id, tenant_id, lane, attempt, crashes, traits, job_id, rate, rate_interval_us,
    rate_burst, not asks and booked_us > (select us from instant) as early,
    asks and not books as unbooked,
    case
      when books then next_us - rate_interval_us * (runs - turn + rate_burst - 1)
      when asks then (select us from instant) + :rates.again_us
      else least(booked_us, (select us from instant))
    end as start_us
  from (
    select
      *, max(charge_us) over (partition by rate) as next_us,
      count(n) filter (where books) over (partition by rate) as runs
    from (
      select *, null::bigint as charge_us from asking
      union all
      select
        null, null, null, null, null, null, null, null, rate, null, null, null, null, null, null,
        null, null, next_us
      from charged
    ) u
  ) t
  where n is not null
),
postponed as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  select
    run_id,
    (least(ceil(start_us / 1000.0)::bigint, :pos.ms_max) << :pos.shift) | (n & :pos.sequence),
    tenant_id, lane, attempt, crashes, traits, job_id
  from booked where start_us > (select us from instant)
  returning run_id, pos
),
noted as (
  update punctual.gated g set booked_us = b.start_us from booked b
  where g.run_id = b.run_id and not b.unbooked
    and (b.start_us > (select us from instant) or b.early)
),
used as (
  -- When waiting runs of a rate are cancelled, the rate keeper gives their starts to later runs, and
  -- must know what has started. A burst of at most a second is over by then: nothing is kept.
  insert into punctual.rate_starts as s (rate, used_us)
  select rate, (select us from instant) + max(rate_interval_us) * count(*)
  from booked
  where start_us <= (select us from instant) and rate_interval_us * rate_burst > 1000000
  group by rate order by rate
  on conflict (rate) do update
    set used_us = least(greatest(s.used_us, (select us from instant)), :rates.us_max)
      + (excluded.used_us - (select us from instant))
),
