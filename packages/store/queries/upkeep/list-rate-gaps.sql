-- Rates that are used further ahead than by what has started and what waits for its moment: runs that had moments were
-- cancelled, or are to start later than these.
--
-- Parameters: $1 after this rate, $2 most rates looked at, $3 most runs that are counted of each
-- Returns: one row: such rates (null when there is none), the last rate looked at, how many were looked at
-- Locks: none. Index: primary keys of rates and rate_starts, gated_rate. Pinned: no sequential scan.
with now as materialized (
  select (date_part('epoch', clock_timestamp()) * 1000000)::bigint as us
),
page as materialized (
  select rate, next_us from punctual.rates where rate > $1::bigint order by rate limit $2::integer
),
ahead as materialized (
  -- As advance-bookings has it, which says why.
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
    -- A millisecond is not worth moving anything.
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
