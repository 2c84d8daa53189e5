-- Writes what was decided for slots: the ledger, and for those that run, the run and its place in the queue.
-- A slot that has a decision already is an error: it would be a second one.
--
-- Parameters: $1 slots in ms bigint[], $2 job ids uuid[], $3 run ids uuid[] (null = a skip), $4 first slots in
--   ms bigint[] (null = only one), $5 how many slots integer[], $6 tenants integer[], $7 reasons smallint[],
--   $8 due times in ms bigint[], $9 first sequence number
-- Returns: lane of each run that was queued, none twice
-- Locks: the new rows. Index: primary key of jobs. Pinned: nested loops.
with ledger as (
  insert into punctual.slots (
    slot_at, job_id, run_id, from_at, decided_at, slots, tenant_id, decision, reason)
  select
    to_timestamp(i.slot_ms::float8 / 1000), i.job_id, i.run_id, to_timestamp(i.from_ms::float8 / 1000),
    statement_timestamp(), i.slots, i.tenant_id, case when i.run_id is null then 2 else 1 end, i.reason
  from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::bigint[], $5::integer[], $6::integer[], $7::smallint[])
    as i (slot_ms, job_id, run_id, from_ms, slots, tenant_id, reason)
),
made as (
  insert into punctual.runs (
    id, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload, labels, retry,
    created_by, job_id, slot_at, missed_from)
  select
    i.run_id, to_timestamp(i.due_ms::float8 / 1000), statement_timestamp(), j.tenant_id, j.lane, j.timeout_ms,
    j.max_attempts, j.traits, j.payload, j.labels, j.retry, j.created_by, i.job_id,
    to_timestamp(i.slot_ms::float8 / 1000), to_timestamp(i.from_ms::float8 / 1000)
  from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::bigint[], $8::bigint[])
    as i (slot_ms, job_id, run_id, from_ms, due_ms)
  cross join lateral (
    select tenant_id, lane, timeout_ms, max_attempts, traits, payload, labels, retry, created_by
    from punctual.jobs
    where id = i.job_id
    limit 1
  ) j
  where i.run_id is not null
  returning id, due_at, tenant_id, lane, traits, job_id
),
queued as (
  insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits, job_id)
  select
    id,
    (greatest(
      (extract(epoch from due_at) * 1000)::bigint,
      floor(extract(epoch from clock_timestamp()) * 1000)::bigint) << 20)
      | (($9::bigint + row_number() over ()) & 1048575),
    tenant_id, lane, 0, 0, traits, job_id
  from made
  returning lane
)
select distinct lane from queued
