-- Records that API keys were used, at most once a minute per key across all nodes.
--
-- Parameters: $1 ids uuid[]
-- Returns: nothing
-- Locks: the keys (sorted, skip locked). Index: primary key.
update punctual.api_keys
set last_used_at = clock_timestamp()
where id in (
  select id
  from punctual.api_keys
  where id = any ($1::uuid[])
    and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')
  order by id
  for update skip locked
)
