-- Reserves submissions of a tenant for the current second of the database's clock: the number
-- wanted if the quota of that second allows it; fewer, but at least the number needed; or none.
--
-- Parameters: $1 tenant, $2 needed, $3 wanted, $4 quota
-- Returns: the second, how many were granted, how many were granted in that second in total, how
--   many ms of it remain
-- Types: left_ms!
-- Locks: the row of the tenant. Index: primary key.
with now as materialized (
  select clock_timestamp() as at, floor(extract(epoch from clock_timestamp()))::bigint as second
),
taken as (
  insert into punctual.tenant_submissions as s (tenant_id, second, last, granted)
  select
    $1::integer, second, case when $4::bigint >= $2::bigint then least($3::bigint, $4::bigint) else 0 end,
    case when $4::bigint >= $2::bigint then least($3::bigint, $4::bigint) else 0 end
  from now
  on conflict (tenant_id) do update
    set
      -- A statement that waited for the row may bring an older second.
      second = greatest(s.second, excluded.second),
      last = case
        when s.second < excluded.second then excluded.last
        when $4::bigint - s.granted >= $2::bigint then least($3::bigint, $4::bigint - s.granted)
        else 0
      end,
      granted = case
        when s.second < excluded.second then excluded.granted
        when $4::bigint - s.granted >= $2::bigint then s.granted + least($3::bigint, $4::bigint - s.granted)
        else s.granted
      end
  returning second, last, granted
)
select
  second, last, granted,
  greatest(1, ceil((second + 1) * 1000 - extract(epoch from clock_timestamp()) * 1000))::bigint as left_ms
from taken
