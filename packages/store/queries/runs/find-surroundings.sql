-- What stands around the live runs of a tenant: whether other tenants may have runs, and how many
-- rows a reader of the queue by lanes, or of all leases, would read.
--
-- Parameters: $1 tenant, $2 most rows to count
-- Returns: one row: others, queued (of the tenant), leased (of all tenants), both at most $2
-- Types: others!, queued!, leased!
-- Locks: none. Index: queue_lane_pos; lanes is small.
select
  exists (select from punctual.lanes where tenant_id <> $1::integer) as others,
  (
    select count(*)
    from (
      select
      from punctual.lanes c
      cross join lateral (
        select
        from punctual.queue
        where lane = c.id
        limit $2::integer
      ) q
      where c.tenant_id = $1::integer
      limit $2::integer
    ) own
  )::integer as queued,
  (select count(*) from (select from punctual.leases limit $2::integer) l)::integer as leased
