-- What claimed runs of one day are to do, in the order of their ids. The payloads end where their
-- sum would exceed a number of bytes; those that follow are not loaded, as the length of a payload
-- is known without reading it.
--
-- Parameters: $1 ids uuid[], $2 most bytes of payloads, or null to return "null" instead of each
--   payload, $3 whether the first payload is returned whatever its size
-- Returns: id, timeout_ms, max_attempts, due_ms, payload (null when it does not fit), bytes of the
--   payload, extra (parts/run-extra)
-- Types: due_ms!, bytes!
-- Locks: none. Index: primary key of that day (of every day when the day has no partition of its
--   own).
select
  id, timeout_ms, max_attempts, due_ms,
  case
    when $2::bigint is null then 'null'
    when total <= $2::bigint or (place = 1 and $3::boolean) then payload
  end as payload,
  bytes, extra
from (
  select
    r.id, r.timeout_ms, r.max_attempts, (date_part('epoch', r.due_at) * 1000)::bigint as due_ms, r.payload,
    octet_length(r.payload) as bytes,
    sum(octet_length(r.payload)) over (order by r.id) as total, row_number() over (order by r.id) as place,
    -- include: run-extra
    as extra
  from punctual.runs /* day 0 */ r
  where r.id = any ($1::uuid[])
) read
order by id
