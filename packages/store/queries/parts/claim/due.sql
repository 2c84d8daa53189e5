-- What a claim may take: the session that must be alive, the bound of what is due, and the share of
-- each lane that has something due.
--
-- Expects: the parameters $1 to $8 of work/claim-runs.
with me as materialized (
  -- Without this guard a claim that races the reaper creates a lease without a session.
  select id, drain_asked_at is not null as drains from punctual.sessions
  where id = $1::bigint and expires_at > clock_timestamp() for key share
),
bound as materialized (
  select (floor(extract(epoch from clock_timestamp()) * 1000)::bigint << :pos.shift)
    | :pos.sequence as pos
),
unseen as materialized (
  -- The lanes of paused queues; usually nothing is paused, which one probe shows. All lanes when
  -- the session has ended, or was asked to drain.
  select l.lane
  from unnest($3::integer[]) as l (lane)
  where not exists (select from me where not drains)
    or exists (select from punctual.pauses) and exists (
      select from punctual.lanes n join punctual.pauses p
      on p.tenant_id = n.tenant_id and coalesce(p.queue, '') = any (array[n.queue, ''])
      where n.id = l.lane)
),
heads as materialized (
  select l.lane, l.weight, l.rank, l.ageing_ms,
    (select q.pos from punctual.queue q
     where q.lane = l.lane and q.pos >= l.start_pos order by q.pos limit 1) as pos,
    -- Also for a lane with runs that are due: the worker must know when to come back.
    (select q.pos from punctual.queue q
     where q.lane = l.lane and q.pos > (select pos from bound) order by q.pos limit 1) as next_pos
  from unnest($3::integer[], $4::bigint[], $5::smallint[], $7::integer[], $8::bigint[])
    as l (lane, start_pos, rank, weight, ageing_ms)
  where l.lane not in (select lane from unseen)
),
shares as materialized (
  -- Lanes of one rank share by weight; a rank without due runs leaves everything to the next.
  select h.lane, h.pos, a.rank,
    ceil($6::integer::float8 * weight / sum(weight) over (partition by a.rank))::integer as share
  from heads h
  cross join bound b
  cross join lateral (
    -- A lane is one rank better for each period of ageing that its first run has waited.
    select greatest(0, h.rank - coalesce(
      ((b.pos >> :pos.shift) - (h.pos >> :pos.shift)) / h.ageing_ms, 0)) as rank
  ) a
  where h.pos <= b.pos
),
