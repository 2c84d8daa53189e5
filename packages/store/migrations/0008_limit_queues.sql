-- Limits of queues and of tenants: how many runs may go on at once and start in a time, whatever their keys; how tenants
-- share workers, and how fast the priority of what waits grows.

create table punctual.limits (
  id integer generated always as identity primary key,
  -- Grows with each claim that takes something: one that has the row and sees another number does not see what that took.
  turn bigint not null default 0,
  -- When the next run may start, in microseconds, had none been saved up.
  next_us bigint not null default 0,
  tenant_id integer not null references punctual.tenants (id),
  set_at timestamptz not null,
  concurrency integer check (concurrency >= 0),
  rate_limit integer check (rate_limit > 0),
  rate_per_ms bigint check (rate_per_ms > 0),
  rate_burst integer check (rate_burst > 0),
  rate_interval_us bigint check (rate_interval_us > 0),
  -- After so long the priority of what waits is one higher, and so on.
  ageing_ms bigint check (ageing_ms > 0),
  -- Of a tenant: its part where others have as much to do.
  weight integer check (weight > 0),
  -- Null for the tenant itself.
  queue text,
  set_by text,
  unique nulls not distinct (tenant_id, queue)
) with (fillfactor = 50, vacuum_truncate = off);

-- Under which limits a lease was given: those that have them are counted.
alter table punctual.leases add column queue_limit integer, add column tenant_limit integer;
create index leases_queue_limit on punctual.leases (queue_limit) where queue_limit is not null;
create index leases_tenant_limit on punctual.leases (tenant_limit) where tenant_limit is not null;
