-- Flow control: how many runs of a key may go on at once, and how many may start in a time.
--
-- The lease is the hold: a gated run is leased with one of the numbers from 1 to the limit of its gate, and no two leases
-- of a gate have the same. Whatever ends a lease frees its place, so that no crash can leave a key held.

-- What a run asks for, as people wrote it: {"concurrency": {"key", "limit"}, "rate": {"key", "limit",
-- "perMs", "burst"}}, and the numbers of these keys: "gate" and "rateGate". Null for most.
alter table punctual.runs add column flow jsonb;
alter table punctual.jobs add column flow jsonb;

-- Of runs that have a key and have not ended (trait 256): what a claim has to know. `gate` and `rate` are made of tenant
-- and key. `booked_us`: when a run that had to wait for its rate is to start, in microseconds.
create table punctual.gated (
  run_id uuid primary key,
  gate bigint,
  gate_limit integer check (gate_limit > 0),
  rate bigint,
  rate_interval_us bigint check (rate_interval_us > 0),
  rate_burst integer check (rate_burst > 0),
  booked_us bigint
) with (
  vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1,
  autovacuum_analyze_threshold = 1000000000
);

-- When the next run of a rate may start, in microseconds, had none been saved up.
create table punctual.rates (
  rate bigint primary key,
  next_us bigint not null
) with (fillfactor = 50, vacuum_truncate = off);

-- Of a run that was let through and is not yet claimed; whoever lets others through counts it.
alter table punctual.queue add column gate bigint;
create index queue_gate on punctual.queue (gate) where gate is not null;

alter table punctual.leases add column gate bigint, add column gate_slot integer;
create unique index leases_gate on punctual.leases (gate, gate_slot) where gate is not null;

-- Also runs that would start and may not yet because their gate is full: `gate` says so. In the order of their ids.
alter table punctual.parked
  alter column job_id drop not null,
  add column gate bigint,
  add column gate_limit integer;
create index parked_gate on punctual.parked (gate, run_id) where gate is not null;
