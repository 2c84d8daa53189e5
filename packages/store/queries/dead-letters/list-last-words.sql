-- The last errors of dead runs, in the order given. They end where they would exceed a number of
-- bytes, after one run at least.
--
-- Parameters: $1 run ids uuid[], $2 smallest id, $3 largest id (of $1, so that other partitions are
--   pruned), $4 most bytes
-- Returns: run_id, attempt, name and message of the error, whether it is the last of all
-- Types: is_last!
-- Locks: none. Index: primary key of outcomes, the partitions between.
select run_id, attempt, name, message, place = runs as is_last
from (
  select
    o.run_id, o.attempt, o.name, o.message, row_number() over (order by w.place) as place, count(*) over () as runs,
    sum(coalesce(octet_length(o.name), 0) + coalesce(octet_length(o.message), 0)) over (order by w.place) as total
  from (
    select run_id, attempt, error ->> 'name' as name, error ->> 'message' as message
    from punctual.outcomes
    where run_id = any ($1::uuid[]) and run_id between $2::uuid and $3::uuid
  ) o
  join unnest($1::uuid[]) with ordinality as w(run_id, place) on w.run_id = o.run_id
) read
where total <= $4::bigint or place = 1
order by place
