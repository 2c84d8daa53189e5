-- Runs that ended in the last N seconds, by queue and state.
--
-- Parameters: $1 tenant (null = all), $2 N
-- Returns: queue, state, runs
-- Types: runs!
-- Locks: none. Index: counters_bucket.
select l.queue, c.state, sum(c.runs)::bigint as runs
from punctual.counters c
join punctual.lanes l on l.id = c.lane
where c.bucket_at > clock_timestamp() - $2::integer * interval '1 second'
  and ($1::integer is null or c.tenant_id = $1::integer)
group by l.queue, c.state
order by l.queue, c.state
