-- How long the logs of runs are, as the limit of a run's log counts: fifty bytes for a line beside its texts.
--
-- Parameters: $1 run ids uuid[], $2 smallest id, $3 largest id (of $1, so that other days are pruned)
-- Returns: run_id, bytes; no row for a run that has logged nothing
-- Types: bytes!
-- Locks: none. Index: primary key of run_logs, the days between. Asked once for each attempt after the first
--   that logs something.
select run_id, sum(octet_length(message) + coalesce(octet_length(data), 0) + 50) as bytes
from punctual.run_logs
where run_id = any ($1::uuid[]) and run_id between $2::uuid and $3::uuid
group by run_id
