-- Takes due runs like claim-runs, from lanes that may hold controlled runs. A run that must not
-- overlap with another run of its job, and would, is parked; so is a run whose gate is full, or that
-- would overtake a run that waits for the gate. A run whose rate is used up goes back to the queue,
-- to the instant at which it may start.
--
-- Parameters: $1 session, $2 first fence, $3 lanes, $4 where to start in each
--   lane, $5 rank of each lane, $6 most runs, $7 weight of each lane, $8 ageing of each lane; see
--   work/claim-runs
-- Returns: no row when the session has ended. Otherwise one row: next_pos, the smallest pos that is
--   not due or not allowed yet; unseen, the lanes that were not examined; controlled, the lanes that
--   needed this form; limited, the lanes with limits of concurrency; parked and
--   postponed, the runs that were not leased (each null when there is none); gates, of each run
--   its gate (null when no run has one); then the columns of parts/claim/answer
-- Locks: session (key share), then limits (sorted, skip locked), then queue rows (skip locked), then
--   holds of jobs (sorted), then rates (sorted), then new leases (by gate and place), then
--   rate_starts (sorted).
-- Index: queue_lane_pos, from the start given; primary keys. Pinned: no sequential scan.
-- include: claim/due
-- include: claim/limits
picked as materialized (
  select q.place
  from allowed s
  -- include: claim/pick
  where s.share > 0
  limit $6::integer
),
-- include: claim/taken
needs as materialized (
  select
    bool_or(traits & :traits.overlap <> 0) as exclusive,
    bool_or(traits & :traits.gated <> 0) as gated
  from numbered
),
given as materialized (
  select lane, count(*) as runs, max(pos) as last_pos,
    (select share from allowed s where s.lane = n.lane) as share
  from numbered n group by lane
),
-- include: claim/holds
-- include: claim/rates
-- include: claim/gates
leased as (
  insert into punctual.leases (
    run_id, fence, session_id, claimed_at, tenant_id, lane, attempt, crashes, traits, job_id,
    queue_limit, tenant_limit)
  select
    run_id, $2::bigint + n, $1::bigint, statement_timestamp(), tenant_id, lane, attempt, crashes,
    traits, job_id,
    case when exists (select from limited) then
      (select queue_limit from limits_of o where o.lane = numbered.lane)
    end,
    case when exists (select from limited) then
      (select tenant_limit from limits_of o where o.lane = numbered.lane)
    end
  from numbered
  where (traits & :traits.overlap = 0 or run_id not in (select run_id from parked))
    and (
      traits & :traits.gated = 0
      or run_id not in (select run_id from gates union all select run_id from postponed))
),
turned as (
  update punctual.limits m
  set
    turn = m.turn + 1,
    next_us = coalesce(
      greatest(m.next_us, (select us from instant)) + m.rate_interval_us * t.runs, 0)
  from (
    select d.id, sum(n.runs)::bigint as runs
    from limited d
    join (
      select lane, count(*) as runs
      from numbered
      where exists (select from limited)
        and run_id not in (select run_id from parked) and run_id not in (select run_id from stopped)
        and run_id not in (select run_id from postponed)
      group by lane
    ) n using (lane)
    group by d.id
  ) t
  where m.id = t.id
)
select
  least(
    (select min(next_pos) from heads), (select min(pos) from postponed),
    (
      select min(
        case
          -- A limit that another claim had: soon again.
          when r.id is null then bound.pos + (5::bigint << :pos.shift)
          else ceil(r.free_us / 1000.0)::bigint << :pos.shift
        end)
      from bound, limited
      left join rooms r using (id)
    )) as next_pos,
  (
    select string_agg(lane::text, ',')
    from (select lane from unseen union all select lane from allowed where share = 0) u
  ) as unseen,
  (
    select string_agg(lane::text, ',')
    from (
      select lane from limited
      union
      select lane from numbered where traits & :traits.controlled <> 0
    ) c
  ) as controlled,
  (select string_agg(distinct lane::text, ',') from limited where counts) as limited,
  (select string_agg(run_id::text, ',') from (table parked union all table stopped) p) as parked,
  (select string_agg(run_id::text, ',') from postponed) as postponed,
  case when k.gated then (
    select string_agg(coalesce(gate::text, ''), ',' order by n)
    from (
      select n, max(gate) as gate
      from (select n, null::bigint as gate from numbered union all select n, gate from gates) u
      group by n
    ) g
  ) end as gates,
-- include: claim/answer
cross join needs k
