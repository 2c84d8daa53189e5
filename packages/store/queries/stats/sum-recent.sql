-- Ends of runs in the last N minutes, by queue, handler and state.
--
-- Parameters: $1 tenant, $2 N
-- Returns: queue, handler, state, runs
-- Types: runs!
-- Locks: none. Index: counters_bucket.
select l.queue, l.handler, c.state, sum(c.runs)::bigint as runs
from punctual.counters c
join punctual.lanes l on l.id = c.lane
where c.bucket_at > clock_timestamp() - $2::integer * interval '1 minute' and c.tenant_id = $1::integer
group by l.queue, l.handler, c.state
order by l.queue, l.handler, c.state
