-- Makes a lane unless it exists, within the tenant's limit of lanes.
--
-- Parameters: $1 tenant, $2 queue, $3 handler, $4 priority, $5 most lanes of a tenant
-- Returns: nothing; read it with find-lane.
-- Locks: the new row. Index: unique (tenant_id, queue, handler, priority).
insert into punctual.lanes (tenant_id, queue, handler, priority)
select $1::integer, $2::text, $3::text, $4::smallint
where (select count(*) from punctual.lanes where tenant_id = $1::integer) < $5::integer
on conflict do nothing
