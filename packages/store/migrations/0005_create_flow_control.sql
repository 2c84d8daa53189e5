-- What holds runs back: pauses, limits of queues and tenants, concurrency keys and rates.

-- Queues from which nothing is claimed. Every claim reads this table, which is empty most of the
-- time.
create table punctual.pauses (
  tenant_id integer not null references punctual.tenants (id),
  paused_at timestamptz not null,
  -- Null pauses all queues of the tenant.
  queue text,
  note text,
  paused_by text,
  -- The pause of a suspended tenant. It is a separate row, so that resuming the tenant does not
  -- resume what a user had paused.
  of_suspension boolean not null default false,
  unique nulls not distinct (tenant_id, queue, of_suspension)
);

-- Limits of a queue, or of a whole tenant. A claim locks the rows of the limits that it has to
-- respect, and counts the leases that name them (ADR 0014).
create table punctual.limits (
  id integer generated always as identity primary key,
  -- Incremented by each claim that takes runs. A claim that locks the row and sees another number
  -- than its snapshot did not see what that claim took, and leaves the limit to the next claim.
  turn bigint not null default 0,
  -- When the next run may start, in microseconds, not counting the burst.
  next_us bigint not null default 0,
  tenant_id integer not null references punctual.tenants (id),
  set_at timestamptz not null,
  concurrency integer check (concurrency >= 0),
  -- rate_limit runs start in rate_per_ms, and up to rate_burst of them at once; rate_interval_us
  -- follows.
  rate_limit integer check (rate_limit > 0),
  rate_per_ms bigint check (rate_per_ms > 0),
  rate_burst integer check (rate_burst > 0),
  rate_interval_us bigint check (rate_interval_us > 0),
  -- The priority of a waiting run rises by one each time it has waited this long.
  ageing_ms bigint check (ageing_ms > 0),
  -- Of a tenant: its share of the workers when several tenants have runs that are due.
  weight integer check (weight > 0),
  -- Null for the limits of the tenant.
  queue text,
  set_by text,
  unique nulls not distinct (tenant_id, queue)
) with (fillfactor = 50, vacuum_truncate = off);

-- What a claim has to know of a run that has a concurrency key or a rate and has not ended (trait
-- 256).
create table punctual.gated (
  run_id uuid primary key,
  -- `gate` and `rate` are 64 bits of a hash of the tenant and the key.
  gate bigint,
  gate_limit integer check (gate_limit > 0),
  rate bigint,
  rate_interval_us bigint check (rate_interval_us > 0),
  rate_burst integer check (rate_burst > 0),
  -- When the run is to start, in microseconds: the start that a claim booked because the rate was
  -- used up.
  booked_us bigint
) with (
  vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1,
  autovacuum_analyze_threshold = 1000000000
);

-- When a run with a booking is cancelled or put off, a background loop moves the bookings behind it
-- forward: it reads the bookings of one rate in their order.
create index gated_rate on punctual.gated (rate, booked_us) where booked_us is not null;

-- When the next run of a rate may start, in microseconds, not counting the burst. Bookings advance
-- it.
create table punctual.rates (
  rate bigint primary key,
  next_us bigint not null
) with (fillfactor = 50, vacuum_truncate = off);

-- The same as rates.next_us, for runs that have started, without bookings: it says how far
-- bookings may be moved forward. Only rates whose burst spans more than a second have a row. In a
-- shorter burst, every start is too old to matter by the time a booking is moved.
create table punctual.rate_starts (
  rate bigint primary key,
  used_us bigint not null
) with (fillfactor = 50, vacuum_truncate = off);
