-- Rates that are booked further ahead than their starts and waiting bookings require: booked runs
-- were cancelled, or rescheduled to a later time.
--
-- Parameters: $1 after this rate, $2 most rates to read, $3 most runs to count per rate
-- Returns: one row: such rates (null when there is none), the last rate read, how many were read
-- Types: rates text[], looked!
-- Locks: none. Index: primary keys of rates and rate_starts, gated_rate. Pinned: no sequential
--   scan.
with now as materialized (
  select (date_part('epoch', clock_timestamp()) * 1000000)::bigint as us
),
page as materialized (
  select rate, next_us from punctual.rates where rate > $1::bigint order by rate limit $2::integer
),
ahead as materialized (
  -- The same bounds as in advance-bookings, which explains them.
  select
    p.rate, p.next_us, s.used_us, now.us + 1000000 as soon_us,
    now.us + case when s.used_us is null then 1000000 else 0 end as bound_us
  from page p
  cross join now
  left join lateral (select used_us from punctual.rate_starts s where s.rate = p.rate limit 1) s on true
  where p.next_us > now.us + 1000000
)
select
  array_agg(a.rate) filter (
    -- A gap of a millisecond is not worth moving bookings.
    where a.next_us > 1000
      + greatest(
        a.soon_us, a.used_us,
        (select g.booked_us + g.rate_interval_us * g.rate_burst
         from punctual.gated g
         where g.rate = a.rate and g.booked_us <= a.bound_us
         order by g.booked_us desc
         limit 1))
      + coalesce((
        select g.rate_interval_us
        from punctual.gated g
        where g.rate = a.rate and g.booked_us > a.bound_us
        order by g.booked_us desc
        limit 1), 0)
      * (
        select count(*)
        from (
          select from punctual.gated g where g.rate = a.rate and g.booked_us > a.bound_us limit $3::integer
        ) counted)
  ) as rates,
  (select max(rate) from page) as last_rate, (select count(*) from page) as looked
from ahead a
