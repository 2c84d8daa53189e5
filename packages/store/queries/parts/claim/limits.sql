-- What the limits of queues and tenants leave of the shares: `allowed`. A limit that another claim
-- has locked, or has claimed under since our snapshot, is left to the next claim: what that claim
-- took is not visible here.
--
-- Expects: the part due.
instant as materialized (
  select (date_part('epoch', clock_timestamp()) * 1000000)::bigint as us
),
limited as materialized (
  -- The limits of lanes that have something due; usually there is none, which one probe shows.
  select s.lane, m.id, m.turn, m.queue is not null as of_queue, m.concurrency is not null as counts
  from shares s
  join punctual.lanes n on n.id = s.lane
  join punctual.limits m on m.tenant_id = n.tenant_id
    and coalesce(m.queue, '') = any (array[n.queue, ''])
  where exists (select from punctual.limits)
    and coalesce(m.concurrency, m.rate_interval_us) is not null
),
limits_of as materialized (
  select
    lane, max(id) filter (where of_queue) as queue_limit,
    max(id) filter (where not of_queue) as tenant_limit
  from limited group by lane
),
locked as materialized (
  select id, turn, next_us, concurrency, rate_interval_us, rate_burst, queue is not null as of_queue
  from punctual.limits
  where id = any (array(select id from limited)) order by id for update skip locked
),
rooms as materialized (
  select
    id, least(places, tokens) as room,
    case when tokens = 0 then next_us - rate_interval_us * (rate_burst - 1) end as free_us
  from (
    select
      k.id, k.next_us, k.rate_interval_us, k.rate_burst,
      k.concurrency - case
        when k.of_queue
          then (select count(*) from punctual.leases l where l.queue_limit = k.id)
        else (select count(*) from punctual.leases l where l.tenant_limit = k.id)
      end as places,
      case
        when k.rate_interval_us is null then null
        when k.next_us <= t.us then k.rate_burst
        when k.next_us - k.rate_interval_us * (k.rate_burst - 1) > t.us then 0
        else (t.us - k.next_us + k.rate_interval_us * (k.rate_burst - 1)) / k.rate_interval_us + 1
      end as tokens
    from locked k, instant t
    where k.turn = (select max(d.turn) from limited d where d.id = k.id)
  ) r
),
allowed as materialized (
  -- Of what a limit leaves, the better ranks are served first.
  select
    lane, rank, pos,
    case
      when tenant_limit is null then share
      else greatest(0, least(
        share, coalesce((select r.room from rooms r where r.id = tenant_limit), 0) + share
          - sum(share) over (partition by tenant_limit order by rank, pos, lane)))
    end::integer as share
  from (
    select
      lane, rank, pos, tenant_limit,
      case
        when queue_limit is null then share
        else greatest(0, least(
          share, coalesce((select r.room from rooms r where r.id = queue_limit), 0) + share
            - sum(share) over (partition by queue_limit order by rank, pos, lane)))
      end as share
    from shares
    left join limits_of using (lane)
  ) q
  order by rank, pos
),
