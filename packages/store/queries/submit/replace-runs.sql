-- Replaces withdrawn runs by what new submissions of their keys ask for, under the existing ids,
-- and puts each into the place where it waits. A run keeps the time of its first submission. It
-- also keeps its rate booking, unless it is now due later or has another rate. No run waits for a
-- gate here: the claim parks it.
--
-- Parameters: $1 tenant, $2 a JSON array of the new definitions (the fields of `input`), $3 horizon
--   in ms, $4 their ids uuid[]. `due_ms`: null = now. With `window_ms` a run is due this long from
--   now, but at most `max_wait_ms` (null = no limit) after its first submission.
-- Returns: nothing. A missing run is an error.
-- Locks: the runs, gated, then new rows. Index: primary keys; the ids prune runs to their
--   partitions.
with now as materialized (
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms
),
input as materialized (
  select
    i.n, i.id, i.lane, i.timeout_ms, i.max_attempts, i.traits, i.due_ms, i.window_ms, i.max_wait_ms, i.payload,
    i.labels, i.policy, i.created_by, i.trace, i.flow
  from jsonb_to_recordset($2::text::jsonb) as i (
    n integer, id uuid, lane integer, timeout_ms integer, max_attempts smallint, traits smallint, due_ms bigint,
    window_ms bigint, max_wait_ms bigint, payload text, labels jsonb, policy text, created_by text, trace text,
    flow jsonb)
),
changed as (
  update punctual.runs r
  set
    due_at = to_timestamp((case
      when i.window_ms is null then coalesce(i.due_ms, now.ms)
      -- A sum with null is null, which `least` ignores.
      else least(
        now.ms + i.window_ms, floor(extract(epoch from r.created_at) * 1000)::bigint + i.max_wait_ms)
    end)::float8 / 1000),
    lane = i.lane, timeout_ms = i.timeout_ms, max_attempts = i.max_attempts, traits = i.traits,
    payload = i.payload, labels = i.labels, policy = i.policy, created_by = i.created_by, trace = i.trace,
    flow = i.flow, edited_at = clock_timestamp()
  from input i, now
  where r.id = i.id and r.id = any ($4::uuid[]) and r.tenant_id = $1::integer
  returning
    r.id, r.due_at, round(extract(epoch from r.due_at) * 1000)::bigint as due_ms, r.lane, r.traits, r.flow, i.n
),
placed as materialized (
  -- Keeps the booking: a run that is replaced more often than its rate allows would otherwise never
  -- start.
  select
    c.id, c.due_at, c.due_ms, c.lane, c.traits, c.flow, c.n, now.ms as now_ms,
    (select g.booked_us
     from punctual.gated g
     where g.run_id = c.id and g.rate = (c.flow ->> 'rateGate')::bigint
       and c.due_ms <= greatest(g.booked_us / 1000, now.ms)) as booked_us
  from changed c, now
),
ungated as (
  delete from punctual.gated
  where run_id in (select id from placed where flow is null)
),
gated as (
  insert into punctual.gated (run_id, gate, gate_limit, rate, rate_interval_us, rate_burst, booked_us)
  select
    id, (flow ->> 'gate')::bigint, (flow -> 'concurrency' ->> 'limit')::integer, (flow ->> 'rateGate')::bigint,
    (flow ->> 'rateIntervalUs')::bigint, (flow -> 'rate' ->> 'burst')::integer, booked_us
  from placed
  where flow is not null
  on conflict (run_id) do update
    set
      gate = excluded.gate, gate_limit = excluded.gate_limit, rate = excluded.rate,
      rate_interval_us = excluded.rate_interval_us, rate_burst = excluded.rate_burst, booked_us = excluded.booked_us
),
queued as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits)
  -- Never in the past: a claim that has passed a position does not come back to it.
  select
    id, (greatest(due_ms, now_ms, ceil(booked_us / 1000.0)::bigint) << :pos.shift) | (n & :pos.sequence), $1::integer, lane, 0, 0,
    traits
  from placed
  where booked_us is not null or due_ms <= now_ms + $3::bigint
),
postponed as (
  insert into punctual.later (run_id, due_at, tenant_id, lane, attempt, crashes, traits)
  select id, due_at, $1::integer, lane, 0, 0, traits
  from placed
  where booked_us is null and due_ms > now_ms + $3::bigint
)
select punctual.insist(
  (select count(*) from changed) = cardinality($4::uuid[]), 'a run that holds a key is missing')::text
