-- The usage of a tenant on one day, summed over the runs whose ids are of that day, on which they
-- were due.
--
-- Parameters: $1 tenant, $2 first id of the day, $3 first id of the next day
-- Returns: one row: runs, runs that succeeded, runs that ended otherwise, attempts that began,
--   total ms of the attempts, bytes of payloads, of outputs and of logs
-- Types: runs!, succeeded!, others!, attempts!, ran_ms!, payload_bytes!, output_bytes!, log_bytes!
-- Locks: none. Index: primary keys, in one partition, of which all rows are read.
select
  r.runs, o.succeeded, o.others, o.attempts + a.attempts as attempts, o.ran_ms + a.ran_ms as ran_ms,
  r.bytes as payload_bytes, o.bytes as output_bytes, l.bytes as log_bytes
from (
  select count(*) as runs, coalesce(sum(octet_length(payload)), 0) as bytes
  from punctual.runs
  where id >= $2::uuid and id < $3::uuid and tenant_id = $1::integer
) r
cross join (
  select
    count(*) filter (where state = :states.succeeded) as succeeded, count(*) filter (where state <> :states.succeeded) as others,
    count(started_at) as attempts, coalesce(sum(octet_length(output)), 0) as bytes,
    coalesce(sum(greatest(0, extract(epoch from finished_at - started_at) * 1000)), 0)::bigint as ran_ms
  from punctual.outcomes
  where run_id >= $2::uuid and run_id < $3::uuid and tenant_id = $1::integer
) o
cross join (
  select
    count(started_at) as attempts,
    coalesce(sum(greatest(0, extract(epoch from ended_at - started_at) * 1000)), 0)::bigint as ran_ms
  from punctual.attempts
  where run_id >= $2::uuid and run_id < $3::uuid and tenant_id = $1::integer
) a
cross join (
  select coalesce(sum(octet_length(message) + coalesce(octet_length(data), 0) + 50), 0) as bytes
  from punctual.run_logs
  where run_id >= $2::uuid and run_id < $3::uuid and tenant_id = $1::integer
) l
