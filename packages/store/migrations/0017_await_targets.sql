-- Runs whose targets report their outcome later. Such a run keeps its lease, and so its fence, its
-- concurrency key, its limits and its hold of its job, but belongs to no worker: its lease names the
-- session 0, which never expires.

alter table punctual.leases
  -- When the attendant looks at it next.
  add column wake_at timestamptz,
  -- Until when the report is awaited.
  add column deadline_at timestamptz,
  -- Where the state of the work can be looked up.
  add column status_url text;

create index leases_wake on punctual.leases (wake_at) where wake_at is not null;
create index leases_awaiting on punctual.leases (tenant_id) where session_id = 0;

-- The year 9999 and not infinity, which PostgreSQL 15 and 16 cannot subtract.
insert into punctual.sessions (
  id, opened_at, renewed_at, expires_at, lease_ms, pid, capacity, state, host, version, handlers,
  queues, labels)
values (
  0, clock_timestamp(), clock_timestamp(), '9999-12-31 00:00:00+00', 2000000000, 0, 0, 'draining', '',
  '', '{}', '{}', '{}');

-- The keys with which the tokens of callbacks are made. The newest one makes tokens, all are
-- accepted. Closed to tenants.
create table punctual.callback_keys (
  id smallint primary key generated always as identity,
  secret bytea not null,
  created_at timestamptz not null default clock_timestamp()
);
