-- Creates a lane if it does not exist, within the tenant's quota of lanes, and notifies workers
-- when it commits: without a notification they look for new lanes only once a minute.
--
-- Parameters: $1 tenant, $2 queue, $3 handler, $4 priority, $5 most lanes of a
--   tenant without the quota, $6 channel of hints
-- Returns: one row: whether the tenant may have another lane, and how many it may have. Read the lane itself with find-lane.
--   It can be missing although the limit allows it: another lane has its number, if rows were
--   copied without their sequence.
-- Types: is_left!, most!
-- Locks: the new row. Index: unique (tenant_id, queue, handler, priority).
with quota as materialized (
  select coalesce(
    (select (quotas ->> 'lanes')::integer from punctual.tenants where id = $1::integer),
    $5::integer) as most
),
room as materialized (
  select q.most,
    (select count(*) from punctual.lanes where tenant_id = $1::integer) < q.most as is_left
  from quota q
),
made as (
  insert into punctual.lanes (tenant_id, queue, handler, priority)
  select $1::integer, $2::text, $3::text, $4::smallint
  where (select is_left from room)
  on conflict do nothing
  returning id
)
select is_left, most, (select pg_notify($6::text, '- new ' || id) from made) as told
from room
