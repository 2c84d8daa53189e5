-- Registers jobs whose names are free.
--
-- Parameters: $1 tenant, $2 ids uuid[], $3 names text[], $4 lanes integer[], $5 timings integer[],
--   $6 payloads text[], $7 timeouts in ms integer[], $8 max_attempts smallint[], $9 traits
--   smallint[], $10 starts in ms bigint[], $11 max_runs integer[], $12 retries text[], $13 labels
--   jsonb[], $14 descriptions text[], $15 owners text[], $16 sources text[], $17 created_by text[],
--   $18 flows jsonb[]
-- Returns: id and registration time in ms of each registered job
-- Types: created_ms!
-- Locks: the new rows. Index: jobs_name, primary key of timings.
with made as (
  insert into punctual.jobs (
    id, created_at, updated_at, start_at, tenant_id, lane, timing, version, timeout_ms, max_runs, max_attempts,
    traits, name, payload, source, policy, labels, description, owner, created_by, flow, once)
  select
    i.id, statement_timestamp(), statement_timestamp(), to_timestamp(i.start_ms::float8 / 1000), $1::integer,
    i.lane, i.timing, 1, i.timeout_ms, i.max_runs, i.max_attempts, i.traits, i.name, i.payload, i.source, i.policy,
    i.labels, i.description, i.owner, i.created_by, i.flow,
    (select t.spec::jsonb -> 'when' ->> 'kind' = 'once' from punctual.timings t where t.id = i.timing)
  from unnest(
    $2::uuid[], $3::text[], $4::integer[], $5::integer[], $6::text[], $7::integer[], $8::smallint[],
    $9::smallint[], $10::bigint[], $11::integer[], $12::text[], $13::jsonb[], $14::text[], $15::text[],
    $16::text[], $17::text[], $18::jsonb[])
    as i (id, name, lane, timing, payload, timeout_ms, max_attempts, traits, start_ms, max_runs, policy, labels,
      description, owner, source, created_by, flow)
  on conflict (tenant_id, name) do nothing
  returning id, created_at
)
select id, floor(extract(epoch from created_at) * 1000)::bigint as created_ms from made
