-- Groups of runs, and the callback that is submitted once all of their members have ended.
--
-- The statements that claim and settle runs do not know about groups. The group finisher walks the
-- members of each open group in the order in which they were added, up to the first that has not
-- ended, and stores how far it got (ADR 0015).

create table punctual.groups (
  id uuid primary key,
  created_at timestamptz not null,
  -- Nothing can be added to a closed group.
  closed_at timestamptz,
  -- Set once, by the transaction that submits the callback: the group is closed and every member
  -- has ended.
  done_at timestamptz,
  callback_run_id uuid,
  tenant_id integer not null references punctual.tenants (id),
  -- The number of members. Adding members locks the row until the commit, so that members become
  -- visible in the order of their places.
  total integer not null default 0,
  -- The members before this place are known to have ended, and how many of them in each state.
  passed integer not null default 0,
  succeeded integer not null default 0,
  dead integer not null default 0,
  cancelled integer not null default 0,
  skipped integer not null default 0,
  unknown integer not null default 0,
  name text,
  -- {"handler", "options"} as the user gave them, and the payload as JSON text. Null without a
  -- callback.
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
  -- From 0, without gaps, in the order in which the members were added.
  place integer not null,
  primary key (group_id, place)
) with (vacuum_truncate = off);

create unique index group_members_run on punctual.group_members (run_id, group_id);
