-- Ends of runs by session and state in the last hour; older counters are not kept by session.
--
-- Parameters: none
-- Returns: session_id, state, runs
-- Types: runs!
-- Locks: none. Index: counters_bucket.
select session_id, state, sum(runs)::bigint as runs
from punctual.counters
where bucket_at > clock_timestamp() - interval '1 hour' and session_id <> 0
group by session_id, state
