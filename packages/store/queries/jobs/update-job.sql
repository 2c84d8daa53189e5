-- Replaces the definition of a job. The old version is kept, because past slots are judged by the
-- rules of their time.
--
-- Parameters: $1 job, $2 lane, $3 timing, $4 payload, $5 timeout_ms, $6 max_attempts, $7 traits,
--   $8 start in ms, $9 max_runs, $10 policy, $11 labels, $12 description, $13 owner, $14 source,
--   $15 next slot in ms, $16 anchor in ms, $17 end in ms, $18 runs left, $19 the clock in ms,
--   $20 last decided slot in ms, $21 when the old rules ran out of slots because max_runs was
--   reached, in ms or null, $22 flow
-- Returns: nothing
-- Locks: jobs; the caller holds the cursor. Index: primary keys.
with kind as materialized (
  select spec::jsonb -> 'when' ->> 'kind' = 'once' as once from punctual.timings where id = $3::integer
),
kept as (
  insert into punctual.job_versions (
    job_id, until_at, anchor_at, end_at, tenant_id, version, timing, change)
  select
    c.job_id, to_timestamp(greatest($19::float8, $20::float8) / 1000), c.anchor_at,
    least(c.end_at, to_timestamp($21::float8 / 1000)), c.tenant_id, c.version, c.timing, 'edited'
  from punctual.cursors c
  where c.job_id = $1::uuid
),
placed as (
  update punctual.cursors
  set
    timing = $3::integer, next_at = to_timestamp($15::float8 / 1000), anchor_at = to_timestamp($16::float8 / 1000),
    end_at = to_timestamp($17::float8 / 1000), runs_left = $18::integer, version = version + 1,
    cursor_at = to_timestamp($20::float8 / 1000), once = (select once from kind)
  where job_id = $1::uuid
)
update punctual.jobs
set
  lane = $2::integer, timing = $3::integer, payload = $4::text, timeout_ms = $5::integer,
  max_attempts = $6::smallint, traits = $7::smallint, start_at = to_timestamp($8::float8 / 1000),
  max_runs = $9::integer, policy = $10::text, labels = $11::jsonb, description = $12::text, owner = $13::text,
  source = $14::text, version = version + 1, updated_at = clock_timestamp(), planning_error = null,
  flow = $22::jsonb, once = (select once from kind)
where id = $1::uuid
