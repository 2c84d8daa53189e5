-- Jobs, their cursors, and the ledger of their slots (ADR 0009).
--
-- People write jobs, timings and calendars. Planners write cursors, which are narrow because every
-- slot updates one, and slots, which are partitioned by day.

-- The rules of when jobs fire, as canonical JSON. Jobs with equal rules share one row, so that a
-- planner parses each rule once and names it by number.
create table punctual.timings (
  id integer generated always as identity primary key,
  spec text not null
);

-- Of the hash, because a specification may be longer than an index entry.
create unique index timings_spec on punctual.timings (md5(spec));

create table punctual.jobs (
  id uuid primary key,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  paused_at timestamptz,
  start_at timestamptz,
  tenant_id integer not null references punctual.tenants (id),
  lane integer not null,
  timing integer not null references punctual.timings (id),
  version integer not null,
  timeout_ms integer not null check (timeout_ms > 0),
  max_runs integer check (max_runs > 0),
  max_attempts smallint not null check (max_attempts > 0),
  -- The traits of its runs: see runs.traits.
  traits smallint not null,
  name text not null,
  -- JSON as text: it is stored and returned unchanged.
  payload text not null,
  -- The declared list that the job belongs to. Another list cannot declare or prune it.
  source text,
  -- JSON: retries, delivery, expiry and heartbeats of its runs. Null for the defaults.
  policy text,
  labels jsonb,
  description text,
  owner text,
  created_by text,
  paused_note text,
  -- Why planners skip the job. Without it a job that cannot be planned would fail its whole batch.
  planning_error text,
  -- Concurrency key and rate of its runs: see runs.flow.
  flow jsonb,
  -- Whether it fires a single time. Such jobs are counted and deleted differently.
  once boolean not null default false
);

create unique index jobs_name on punctual.jobs (tenant_id, name);
create index jobs_source on punctual.jobs (tenant_id, source) where source is not null;
-- Lists of paused jobs, which are few among many.
create index jobs_paused on punctual.jobs (tenant_id, id) where paused_at is not null;
-- The quota `jobs` counts recurring jobs, and one-time jobs whose slot is still ahead
-- (cursors_once_ahead).
create index jobs_again on punctual.jobs (tenant_id) where not once;

-- The position of each job in its schedule. A separate table, because a slot updates only this.
create table punctual.cursors (
  job_id uuid primary key,
  -- The next slot to decide. Null when there is none: the job is paused, finished, or waits for its
  -- run to end.
  next_at timestamptz,
  -- Every slot up to this instant is decided.
  cursor_at timestamptz not null,
  -- The instant from which intervals are counted, such as the end of the previous run.
  anchor_at timestamptz,
  end_at timestamptz,
  tenant_id integer not null,
  timing integer not null,
  -- Changes with each edit of the job: planners move a cursor only if it is the version that they
  -- read.
  version integer not null,
  runs_left integer,
  -- Dead runs in a row, for jobs that are paused after a number of them.
  failures integer not null default 0,
  -- Planners divide the shards among themselves.
  shard smallint not null,
  -- How many skips users have asked for, up to 32,000. Planners read slot_skips only where it is
  -- not 0.
  asked_skips smallint not null default 0,
  -- A copy of `jobs.paused_at is not null`: the end of a run reads it to leave a paused job without
  -- a next slot.
  paused boolean not null default false,
  -- A copy of `jobs.once`, for the partial indexes below.
  once boolean not null default false
) with (
  fillfactor = 80, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_threshold = 1000000000
);

create index cursors_due on punctual.cursors (shard, next_at) where next_at is not null;
-- No index below contains a recurring job that will fire again, so that its slots update only
-- cursors_due.
create index cursors_over on punctual.cursors (tenant_id, job_id) where next_at is null;
create index cursors_once_ahead on punctual.cursors (tenant_id)
  where once and (next_at is not null or paused);
-- The janitor deletes one-time jobs in this order when no run of theirs is kept.
create index cursors_once_over on punctual.cursors (cursor_at, job_id)
  where once and next_at is null and not paused;

-- Earlier versions of jobs: the auditor checks past slots by the rules that were valid then.
create table punctual.job_versions (
  job_id uuid not null,
  until_at timestamptz not null,
  anchor_at timestamptz,
  end_at timestamptz,
  tenant_id integer not null,
  version integer not null,
  timing integer not null,
  -- 'edited' or 'deleted'.
  change text not null,
  primary key (job_id, version)
);

-- The ledger: one decision for each slot. The key starts with the instant, so that planners insert
-- at the end of the index. An insert that conflicts is an error: two planners decided the same
-- slot.
create table punctual.slots (
  slot_at timestamptz not null,
  job_id uuid not null,
  run_id uuid,
  -- The first slot of a range: the row decides all slots of [from_at, slot_at]. Null for a single
  -- slot.
  from_at timestamptz,
  decided_at timestamptz not null,
  -- How many slots the row decides.
  slots integer not null,
  tenant_id integer not null,
  -- 1 run, 2 skip.
  decision smallint not null check (decision between 1 and 2),
  -- 1 on time, 2 late, 3 coalesced, 4 misfire, 5 paused, 6 calendar, 7 asked, 8 backfill.
  reason smallint not null,
  -- False when no rule gives the instant, because it follows from the end of the previous run.
  computed boolean not null default true,
  primary key (slot_at, job_id)
) partition by range (slot_at);

create index slots_not_computed on punctual.slots (job_id, slot_at) where not computed;

-- Future slots that a user asked to skip.
create table punctual.slot_skips (
  job_id uuid not null,
  slot_at timestamptz not null,
  tenant_id integer not null,
  asked_by text,
  primary key (job_id, slot_at)
);

-- Runs that a user triggered: they belong to a job and to no slot.
create table punctual.triggers (
  job_id uuid not null,
  run_id uuid not null,
  triggered_at timestamptz not null,
  tenant_id integer not null,
  primary key (job_id, run_id)
);

-- Past slots that a user asked to run. The key prevents that a slot is backfilled twice; the row of
-- the slot in the ledger stays unchanged.
create table punctual.backfills (
  job_id uuid not null,
  slot_at timestamptz not null,
  run_id uuid not null,
  asked_at timestamptz not null,
  tenant_id integer not null,
  primary key (job_id, slot_at)
);

create table punctual.calendars (
  tenant_id integer not null references punctual.tenants (id),
  -- Planners lock a calendar by the version that they read, until their decisions are committed.
  version integer not null,
  updated_at timestamptz not null,
  name text not null,
  -- The entries as JSON.
  spec text not null,
  primary key (tenant_id, name)
);

-- For each job whose runs must not overlap, the run that may run, from its first start to its end
-- (ADR 0010).
create table punctual.job_holds (
  job_id uuid primary key,
  run_id uuid not null
) with (
  vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1,
  autovacuum_analyze_threshold = 1000000000
);
