-- The attempts of runs that were followed by another attempt. Runs whose attempts would exceed a
-- number of bytes are cut: of each of them only the first attempt is returned, without its error. The
-- first run that has attempts is not cut; beyond the bytes its errors have no stack.
--
-- Parameters: $1 run ids uuid[], $2 smallest id, $3 largest id (of $1, so that other partitions are
--   pruned), $4 most bytes
-- Returns: run_id, attempt, outcome, started_at, ended_at, session_id, error, cut; at most 2,000 of a
--   run
-- Types: error Failure, cut!
-- Locks: none. Index: primary key of attempts, the partitions between.
select
  run_id, attempt, outcome, started_at, ended_at, session_id,
  case when total <= $4::bigint then error when not cut then error - 'stack' end as error, cut
from (
  select
    read.*, first_run <> run_id and total_with_run > $4::bigint as cut
  from (
    select
      a.run_id, a.attempt, a.outcome, a.started_at, a.ended_at, a.session_id, a.error,
      row_number() over (partition by wanted.place order by a.attempt) as nth,
      first_value(a.run_id) over (order by wanted.place, a.attempt) as first_run,
      sum(octet_length(a.error::text)) over (order by wanted.place, a.attempt) as total,
      sum(octet_length(a.error::text)) over (order by wanted.place) as total_with_run,
      wanted.place
    from unnest($1::uuid[]) with ordinality as wanted(run_id, place)
    cross join lateral (
      select *
      from punctual.attempts
      where run_id = wanted.run_id and run_id between $2::uuid and $3::uuid
      order by attempt
      limit 2000
    ) a
  ) read
) bounded
where not cut or nth = 1
order by place, attempt
