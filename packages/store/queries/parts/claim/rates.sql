-- Runs whose rate is used up: they go back to the queue, to the instant at which they may start, which
-- they have booked. A booking is good for a while: what was booked during an outage does not start
-- all at once. Nothing from here on is joined: planned for few rows, it would be compared pair by
-- pair. Windows bring together what belongs together.
--
-- Expects: the parts taken, limits (`instant`) and holds, and `needs`.
rated as materialized (
  select
    n.n, n.run_id, n.tenant_id, n.lane, n.attempt, n.crashes, n.traits, n.job_id, g.rate,
    g.rate_interval_us, g.rate_burst, g.booked_us, g.asks,
    row_number() over (partition by g.rate, g.asks order by n.run_id) - 1 as turn
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
charged as (
  insert into punctual.rates as r (rate, next_us)
  select rate, (select us from instant) + max(rate_interval_us) * count(*)
  from rated where asks group by rate order by rate
  on conflict (rate) do update
    set next_us = greatest(r.next_us, (select us from instant))
      + (excluded.next_us - (select us from instant))
  returning rate, next_us
),
booked as materialized (
  -- The runs of a rate follow each other at its interval; as many as may be saved up start at once.
  -- A run that was promoted starts now instead.
  select
    n, run_id, tenant_id, lane, attempt, crashes, traits, job_id, rate, rate_interval_us,
    rate_burst, not asks and booked_us > (select us from instant) as early,
    case
      when asks then next_us - rate_interval_us * (runs - turn + rate_burst - 1)
      else least(booked_us, (select us from instant))
    end as start_us
  from (
    select
      *, max(charge_us) over (partition by rate) as next_us,
      count(n) filter (where asks) over (partition by rate) as runs
    from (
      select *, null::bigint as charge_us from rated
      union all
      select
        null, null, null, null, null, null, null, null, rate, null, null, null, null, null, next_us
      from charged
    ) u
  ) t
  where n is not null
),
postponed as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  select
    run_id, (ceil(start_us / 1000.0)::bigint << :pos.shift) | (n & :pos.sequence), tenant_id, lane,
    attempt, crashes, traits, job_id
  from booked where start_us > (select us from instant)
  returning run_id, pos
),
noted as (
  update punctual.gated g set booked_us = b.start_us from booked b
  where g.run_id = b.run_id and (b.start_us > (select us from instant) or b.early)
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
    set used_us = greatest(s.used_us, (select us from instant))
      + (excluded.used_us - (select us from instant))
),
