-- The limits of a tenant and its queues, and how much of each is in use.
--
-- Parameters: $1 tenant
-- Returns: queue (null = the tenant), concurrency, running, rate limit, per ms, burst, when the
--   next run may start in ms (null = immediately), ageing_ms, weight, set_at, set_by
-- Types: running!
-- Locks: none. Index: none; the table is small. leases_queue_limit, leases_tenant_limit.
select
  m.queue, m.concurrency,
  case
    when m.queue is null then (select count(*) from punctual.leases l where l.tenant_limit = m.id)
    else (select count(*) from punctual.leases l where l.queue_limit = m.id)
  end as running,
  m.rate_limit, m.rate_per_ms, m.rate_burst,
  case
    when (m.next_us - m.rate_interval_us * (m.rate_burst - 1)) > date_part('epoch', clock_timestamp()) * 1000000
      then ceil((m.next_us - m.rate_interval_us * (m.rate_burst - 1)) / 1000.0)::bigint
  end as free_ms,
  m.ageing_ms, m.weight, m.set_at, m.set_by
from punctual.limits m
where m.tenant_id = $1::integer
order by m.queue nulls first
