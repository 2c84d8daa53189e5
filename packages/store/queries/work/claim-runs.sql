-- Takes due runs of some lanes for a session: each leaves the queue and becomes a lease, in one step. One that must not overlap with another run of
-- its job, and would, is parked instead; so is one whose gate is full, or that would pass another one which waits for it. One whose rate is used up
-- goes back, to the moment when it may start. Nothing is taken from a queue that is paused, nor by a session that is asked to drain.
--
-- Parameters: $1 session, $2 first fence (random, made by the worker; each run gets the next number, so a fence belongs to one lease of one run), $3
--   lanes integer[], $4 where to start in each lane bigint[], $5 rank of each lane smallint[] (0 = first), $6 most runs, $7 weight of each lane
--   integer[], $8 after how many ms a lane whose first run waits is one rank better bigint[] (null = never), or null when none is
-- Returns: no row when the session has ended. Otherwise one row: snapshot xmin and xmax, the bound in pos, the smallest pos that is not due; then
--   lists, which are texts joined by commas: the lanes that gave something, each with how many, the last pos and how many it could have given
--   (separated by blanks); of the runs taken, in the order of their fences, which is that of their ids: run ids, lanes (null when all are of one),
--   (traits << 21) | (crashes << 16) | attempt (null when all are 0), places of those that belong to jobs (null when all do), those jobs; the ids
--   that were parked (null when none was). Then what those of today are to do: their ids (null when they are the ids taken), (timeout in ms << 16) |
--   max_attempts, due times in ms; payloads and extras are joined by U+001E, which none of them can hold. An extra is empty, or '=' for a slot that
--   is due at its own time and nothing else, or policy, trace and slot (in ms, comma, first slot missed in ms) joined by U+001F. A payload over 8,000
--   bytes is left empty, and a run of another day is left out: they are read with read-runs. Then the lanes that were looked into; null when all
--   were, as when nothing is paused. Then those of the runs taken that went back (null when none did). Then, for each run taken, its gate; null when
--   none has one. At last the lanes with limits of concurrency, or null.
-- Locks: session (key share), then limits (sorted, skip locked), then queue rows (skip locked), then holds of jobs (sorted), then rates (sorted),
--   then new leases (by gate and place), then rate_starts (sorted).
-- Index: queue_lane_pos, from the start given; primary keys. Pinned: no sequential scan.
with me as materialized (
  -- Without this guard a claim that races the reaper leaves a lease that belongs to nobody.
  select id, drain_asked_at is not null as drains
  from punctual.sessions
  where id = $1::bigint and expires_at > clock_timestamp() for key share
),
bound as materialized (
  select
    (floor(extract(epoch from now) * 1000)::bigint << 20) | 1048575 as pos,
    (date_part('epoch', now) * 1000000)::bigint as us
  from clock_timestamp() as now
),
heads as materialized (
  select
    l.lane, l.rank, l.weight, l.ageing_ms,
    (select q.pos from punctual.queue q
     where q.lane = l.lane and q.pos >= l.start_pos order by q.pos limit 1) as pos,
    -- Also of a lane that has something due: whoever takes it has to know when to come back.
    (select q.pos from punctual.queue q
     where q.lane = l.lane and q.pos > (select pos from bound) order by q.pos limit 1) as next_pos
  from unnest($3::integer[], $4::bigint[], $5::smallint[], $7::integer[], $8::bigint[])
    as l (lane, start_pos, rank, weight, ageing_ms)
  where exists (select from me where not drains)
    and (
      -- Mostly nothing is paused, and that is asked once.
      not exists (select from punctual.pauses)
      or not exists (
        select
        from punctual.lanes n
        join punctual.pauses p on p.tenant_id = n.tenant_id and (p.queue is null or p.queue = n.queue)
        where n.id = l.lane))
),
shares as materialized (
  -- Lanes of one rank share by weight; a rank that is empty leaves everything to the next.
  select lane, rank, pos, ceil($6::integer::float8 * weight / sum(weight) over (partition by rank))::integer as share
  from (
    select
      lane, pos, weight,
      case
        when ageing_ms is null then rank
        else greatest(0, rank - ((((select b.pos from bound b) >> 20) - (pos >> 20)) / ageing_ms))
      end as rank
    from heads where pos <= (select pos from bound)
  ) h
),
limited as materialized (
  -- What limits lanes that have something due, as this claim sees it. Mostly there is none, and that is asked once.
  select s.lane, m.id, m.turn, m.queue is not null as of_queue, m.concurrency is not null as counts
  from shares s
  join punctual.lanes n on n.id = s.lane
  join punctual.limits m on m.tenant_id = n.tenant_id and (m.queue is null or m.queue = n.queue)
  where exists (select from punctual.limits) and (m.concurrency is not null or m.rate_interval_us is not null)
),
limits_of as materialized (
  select lane, max(id) filter (where of_queue) as queue_limit, max(id) filter (where not of_queue) as tenant_limit
  from limited group by lane
),
locked as materialized (
  -- Not waited for: another claim has it for a moment, and this one comes back.
  select id, turn, next_us, concurrency, rate_interval_us, rate_burst, queue is not null as of_queue
  from punctual.limits
  where id = any (array(select id from limited)) order by id for update skip locked
),
rooms as materialized (
  -- How many may start; a limit that was claimed under after our snapshot was taken is left for the next claim, because
  -- what that one took is not seen.
  select
    id, least(places, tokens) as room,
    case when tokens = 0 then next_us - rate_interval_us * (rate_burst - 1) end as free_us
  from (
    select
      k.id, k.next_us, k.rate_interval_us, k.rate_burst,
      k.concurrency - case
        when k.of_queue then (select count(*) from punctual.leases l where l.queue_limit = k.id)
        else (select count(*) from punctual.leases l where l.tenant_limit = k.id)
      end as places,
      case
        when k.rate_interval_us is null then null
        when k.next_us <= t.us then k.rate_burst
        when k.next_us - k.rate_interval_us * (k.rate_burst - 1) > t.us then 0
        else (t.us - k.next_us + k.rate_interval_us * (k.rate_burst - 1)) / k.rate_interval_us + 1
      end as tokens
    from locked k, bound t
    where k.turn = (select max(d.turn) from limited d where d.id = k.id)
  ) r
),
due as materialized (
  -- Of what a limit leaves, the better ranks have theirs first.
  select
    lane, rank, pos,
    case
      when tenant_limit is null then share
      else greatest(0, least(share, coalesce((select r.room from rooms r where r.id = tenant_limit), 0) + share
        - sum(share) over (partition by tenant_limit order by rank, pos, lane)))
    end::integer as share
  from (
    select
      lane, rank, pos, tenant_limit,
      case
        when queue_limit is null then share
        else greatest(0, least(share, coalesce((select r.room from rooms r where r.id = queue_limit), 0) + share
          - sum(share) over (partition by queue_limit order by rank, pos, lane)))
      end as share
    from shares
    left join limits_of using (lane)
  ) q
  order by rank, pos
),
picked as materialized (
  select q.place
  from due
  cross join lateral (
    select q.ctid as place
    from punctual.queue q
    -- The bound is a sub-select: a volatile function here would filter the whole lane.
    where q.lane = due.lane and q.pos >= due.pos and q.pos <= (select pos from bound)
    order by q.pos limit due.share for update skip locked
  ) q
  where due.share > 0
  limit $6::integer
),
taken as (
  delete from punctual.queue where ctid = any (array(select place from picked))
  returning run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id
),
numbered as materialized (
  -- By id, which is how the runs are read below: mostly the two lists then name the same runs.
  select row_number() over (order by run_id) as n, run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id
  from taken
),
batch as materialized (
  -- One pass over what was taken; what most claims do not need is looked for only in those that do.
  select
    array_agg(run_id) as ids, string_agg(run_id::text, ',') as run_ids, count(*) as runs, count(job_id) as of_jobs,
    min(lane) as lane, min(lane) = max(lane) as one_lane, max(pos) as last_pos, bool_or(traits & 112 <> 0) as exclusive,
    bit_or((traits::integer << 21) | (crashes::integer << 16) | attempt) as traits, bool_or(traits & 256 <> 0) as gated
  from numbered
),
held as (
  insert into punctual.job_holds (job_id, run_id)
  select job_id, run_id from numbered
  where (select exclusive from batch) and traits & 112 <> 0
  order by job_id, run_id
  on conflict (job_id) do nothing
  returning run_id
),
parked as (
  insert into punctual.parked (run_id, parked_at, job_id, tenant_id, lane, attempt, crashes, traits)
  select n.run_id, clock_timestamp(), n.job_id, n.tenant_id, n.lane, n.attempt, n.crashes, n.traits
  from numbered n
  where (select exclusive from batch) and n.traits & 112 <> 0 and n.run_id not in (select run_id from held)
    -- A run that comes back holds its job already.
    and not exists (select from punctual.job_holds h where h.job_id = n.job_id and h.run_id = n.run_id)
  returning run_id
),
rated as materialized (
  -- A moment that was booked is good for a while: what was booked during an outage is not started at once. Nothing from
  -- here on is joined: planned for few rows, it would be compared pair by pair. Windows bring together what belongs together.
  select
    n.n, n.run_id, n.tenant_id, n.lane, n.attempt, n.crashes, n.traits, n.job_id, g.rate, g.rate_interval_us,
    g.rate_burst, g.booked_us, g.asks, row_number() over (partition by g.rate, g.asks order by n.run_id) - 1 as turn
  from numbered n
  cross join lateral (
    select
      rate, rate_interval_us, rate_burst, booked_us,
      booked_us is null
        or booked_us < (select us from bound) - greatest(200000, rate_interval_us * rate_burst) as asks
    from punctual.gated where run_id = n.run_id limit 1
  ) g
  where (select gated from batch) and n.traits & 256 <> 0 and n.run_id not in (select run_id from parked)
    and g.rate is not null
    -- Of those whose moment has come, only what `used` and `noted` have to know of.
    and (g.asks or g.rate_interval_us * g.rate_burst > 1000000 or g.booked_us > (select us from bound))
),
charged as (
  insert into punctual.rates as r (rate, next_us)
  select rate, (select us from bound) + max(rate_interval_us) * count(*)
  from rated where asks group by rate order by rate
  on conflict (rate) do update
    set next_us = greatest(r.next_us, (select us from bound)) + (excluded.next_us - (select us from bound))
  returning rate, next_us
),
booked as materialized (
  -- The runs of a rate follow each other at its interval; as many as may be saved up start at once. One that somebody
  -- has promoted starts now instead of then.
  select
    n, run_id, tenant_id, lane, attempt, crashes, traits, job_id, rate, rate_interval_us, rate_burst,
    not asks and booked_us > (select us from bound) as early,
    case
      when asks then next_us - rate_interval_us * (runs - turn + rate_burst - 1)
      else least(booked_us, (select us from bound))
    end as start_us
  from (
    select
      *, max(charge_us) over (partition by rate) as next_us, count(n) filter (where asks) over (partition by rate) as runs
    from (
      select *, null::bigint as charge_us from rated
      union all
      select null, null, null, null, null, null, null, null, rate, null, null, null, null, null, next_us from charged
    ) u
  ) t
  where n is not null
),
postponed as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  select
    run_id, (ceil(start_us / 1000.0)::bigint << 20) | (n & 1048575), tenant_id, lane, attempt, crashes, traits, job_id
  from booked where start_us > (select us from bound)
  returning run_id, pos
),
noted as (
  update punctual.gated g set booked_us = b.start_us from booked b
  where g.run_id = b.run_id and (b.start_us > (select us from bound) or b.early)
),
used as (
  -- When runs that waited behind others are cancelled, whoever gives their moments on has to know what has started. Where a burst takes no more than
  -- a second it is over by the time a moment is given away, and nothing is kept.
  insert into punctual.rate_starts as s (rate, used_us)
  select rate, (select us from bound) + max(rate_interval_us) * count(*)
  from booked
  where start_us <= (select us from bound) and rate_interval_us * rate_burst > 1000000
  group by rate order by rate
  on conflict (rate) do update
    set used_us = greatest(s.used_us, (select us from bound)) + (excluded.used_us - (select us from bound))
),
gates as materialized (
  select
    n.n, n.run_id, n.tenant_id, n.lane, n.attempt, n.crashes, n.traits, n.job_id, g.gate, g.gate_limit,
    row_number() over (partition by g.gate order by n.run_id) as turn,
    exists (select from punctual.parked p where p.gate = g.gate and p.run_id < n.run_id) as behind
  from numbered n
  cross join lateral (select gate, gate_limit from punctual.gated where run_id = n.run_id limit 1) g
  where (select gated from batch) and n.traits & 256 <> 0 and n.run_id not in (select run_id from parked)
    and g.gate is not null and n.run_id not in (select run_id from postponed)
),
places as materialized (
  select g.gate, s.slot, row_number() over (partition by g.gate order by s.slot) as turn
  from (select gate, max(gate_limit) as gate_limit, count(*) as wanted from gates where not behind group by gate) g
  cross join lateral (
    select s.slot
    from generate_series(1, g.gate_limit) as s (slot)
    where not exists (select from punctual.leases l where l.gate = g.gate and l.gate_slot = s.slot)
    order by s.slot limit g.wanted
  ) s
),
seats as materialized (
  select * from (
    select *, max(slot) over (partition by gate, turn) as place
    from (
      select *, null::integer as slot from gates
      union all
      select null, null, null, null, null, null, null, null, gate, null, turn, null, slot from places
    ) u
  ) t
  where n is not null
),
admitted as (
  insert into punctual.leases (
    run_id, fence, session_id, claimed_at, tenant_id, lane, attempt, crashes, traits, job_id, gate, gate_slot,
    queue_limit, tenant_limit)
  select
    run_id, $2::bigint + n, $1::bigint, statement_timestamp(), tenant_id, lane, attempt, crashes, traits, job_id,
    gate, place,
    (select queue_limit from limits_of o where o.lane = seats.lane),
    (select tenant_limit from limits_of o where o.lane = seats.lane)
  from seats
  where not behind and place <= gate_limit
  order by gate, place
  -- A place that another claim takes at this moment is waited for, and then is not ours.
  on conflict (gate, gate_slot) where gate is not null do nothing
  returning run_id
),
stopped as (
  insert into punctual.parked (
    run_id, parked_at, job_id, tenant_id, lane, attempt, crashes, traits, gate, gate_limit)
  select run_id, clock_timestamp(), job_id, tenant_id, lane, attempt, crashes, traits, gate, gate_limit
  from seats where run_id not in (select run_id from admitted)
  returning run_id
),
leased as (
  insert into punctual.leases (
    run_id, fence, session_id, claimed_at, tenant_id, lane, attempt, crashes, traits, job_id, queue_limit, tenant_limit)
  select
    run_id, $2::bigint + n, $1::bigint, statement_timestamp(), tenant_id, lane, attempt, crashes, traits, job_id,
    case
      when (select one_lane from batch) then (select queue_limit from limits_of where lane = (select lane from batch))
      else (select queue_limit from limits_of o where o.lane = numbered.lane)
    end,
    case
      when (select one_lane from batch) then (select tenant_limit from limits_of where lane = (select lane from batch))
      else (select tenant_limit from limits_of o where o.lane = numbered.lane)
    end
  from numbered
  where (traits & 112 = 0 or run_id not in (select run_id from parked))
    and (
      traits & 256 = 0
      or (run_id not in (select run_id from gates) and run_id not in (select run_id from postponed)))
),
turned as (
  update punctual.limits m
  set
    turn = m.turn + 1,
    next_us = coalesce(greatest(m.next_us, (select us from bound)) + m.rate_interval_us * t.runs, 0)
  from (
    select d.id, sum(n.runs)::bigint as runs
    from limited d
    join (
      select lane, count(*) as runs from numbered
      where exists (select from limited)
        and run_id not in (select run_id from parked) and run_id not in (select run_id from stopped)
        and run_id not in (select run_id from postponed)
      group by lane
    ) n using (lane)
    group by d.id) t
  where m.id = t.id
)
select
  pg_snapshot_xmin(pg_current_snapshot()) as xmin, pg_snapshot_xmax(pg_current_snapshot()) as xmax,
  (select pos from bound) as bound,
  least(
    (select min(next_pos) from heads), (select min(pos) from postponed),
    (select min(case when r.id is null then bound.pos + (5::bigint << 20) else ceil(r.free_us / 1000.0)::bigint << 20 end)
     from bound, limited d
     left join rooms r using (id))) as next_pos,
  case
    when b.one_lane then concat_ws(' ', b.lane, b.runs, b.last_pos, (select share from due where lane = b.lane))
    else (
      select string_agg(concat_ws(' ', lane, runs, last_pos, share), ',')
      from (select lane, count(*) as runs, max(pos) as last_pos from numbered group by lane) of_lane
      join due using (lane))
  end as gave,
  b.run_ids,
  case when not b.one_lane then (select string_agg(lane::text, ',') from numbered) end as lanes,
  case
    when b.traits <> 0 then (
      select string_agg(((traits::integer << 21) | (crashes::integer << 16) | attempt)::text, ',') from numbered)
  end as traits,
  case
    when b.of_jobs between 1 and b.runs - 1
      then (select string_agg((n - 1)::text, ',') from numbered where job_id is not null)
  end as job_places,
  case when b.of_jobs > 0 then (select string_agg(job_id::text, ',') from numbered) end as job_ids,
  (select string_agg(run_id::text, ',') from (table parked union all table stopped) w) as parked,
  case when today.ids = b.ids then null else coalesce(array_to_string(today.ids, ','), '') end as ids,
  today.specs, today.due_ms, today.payloads, today.extras,
  case
    when me.drains or exists (select from punctual.pauses) or exists (select from limited)
      then coalesce((
        select string_agg(lane::text, ',') from heads where lane not in (select lane from due where share = 0)), '')
  end as looked,
  (select string_agg(run_id::text, ',') from postponed) as postponed,
  case
    when b.gated then (
      select string_agg(coalesce(gate::text, ''), ',' order by n)
      from (
        select n, max(gate) as gate
        from (select n, null::bigint as gate from numbered union all select n, gate from gates) u group by n) g)
  end as gates,
  (select string_agg(distinct lane::text, ',') from limited where counts) as limited
from me
cross join batch b
cross join (
  select
    array_agg(r.id) as ids,
    string_agg(((r.timeout_ms::bigint << 16) | r.max_attempts)::text, ',') as specs,
    string_agg((date_part('epoch', r.due_at) * 1000)::bigint::text, ',') as due_ms,
    string_agg(case when octet_length(r.payload) <= 8000 then r.payload else '' end, e'\x1e') as payloads,
    string_agg(
      case
        when r.policy is null and r.trace is null and r.job_id is null then ''
        when r.slot_at = r.due_at and r.policy is null and r.trace is null and r.missed_from is null then '='
        else concat(
          r.policy, e'\x1f', r.trace, e'\x1f', (date_part('epoch', r.slot_at) * 1000)::bigint, ',',
          (date_part('epoch', r.missed_from) * 1000)::bigint)
      end, e'\x1e') as extras
  -- By a list of ids, which are near each other: one descent into the index serves many.
  from punctual.runs /* day 0 */ r
  where r.id = any ((select ids from batch)::uuid[])
) today
