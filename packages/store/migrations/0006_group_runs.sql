-- Groups of runs: how far each has come, and what is submitted once all of its members have ended.
--
-- Nothing that claims or settles a run knows of them. Whoever looks walks the members of an open group in the order in which
-- they were added, up to the first that has not ended, and remembers in the group how far that was (ADR 0015).

create table punctual.groups (
  id uuid primary key,
  created_at timestamptz not null,
  -- From then on nothing can be added.
  closed_at timestamptz,
  -- Closed, and every member has ended. Set once, by the transaction that submits the callback.
  done_at timestamptz,
  callback_run_id uuid,
  tenant_id integer not null references punctual.tenants (id),
  -- How many members it has. Whoever adds some holds this row until the commit, so that their places become
  -- visible in their order.
  total integer not null default 0,
  -- The members before this place are known to have ended, and so many of them in each way.
  passed integer not null default 0,
  succeeded integer not null default 0,
  dead integer not null default 0,
  cancelled integer not null default 0,
  skipped integer not null default 0,
  unknown integer not null default 0,
  name text,
  -- What to submit: {"handler", "options"} as people wrote them, and the payload as JSON. Null when there is nothing.
  callback jsonb,
  callback_payload text,
  check (passed between 0 and total),
  check (done_at is null or (closed_at is not null and passed = total))
) with (fillfactor = 70, vacuum_truncate = off);

create index groups_open on punctual.groups (id) where done_at is null;
create index groups_done on punctual.groups (done_at) where done_at is not null;
create index groups_tenant on punctual.groups (tenant_id, id);

create table punctual.group_members (
  group_id uuid not null,
  run_id uuid not null,
  -- From 0, without gaps, in the order in which they were added.
  place integer not null,
  primary key (group_id, place)
) with (vacuum_truncate = off);

create unique index group_members_run on punctual.group_members (run_id, group_id);
