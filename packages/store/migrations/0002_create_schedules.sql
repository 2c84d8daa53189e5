-- Jobs, their cursors and the ledger of their slots; locks of jobs that must not overlap (ADR 0009, 0010).
--
-- Cold:     jobs (written by people only), timings, calendars, cursors (narrow; one update for each visit)
-- Hot:      job_holds, parked, planners
-- History:  slots (one partition a day, by slot)

-- What many jobs share of when they fire. Interned: a planner knows them by number.
create table punctual.timings (
  id integer generated always as identity primary key,
  spec text not null
);

create unique index timings_spec on punctual.timings (md5(spec));

-- What to run and when. `schedule` of timings; what differs from job to job is here and in the cursor.
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
  traits smallint not null,
  name text not null,
  payload text not null,
  source text,
  retry text,
  labels jsonb,
  description text,
  owner text,
  created_by text,
  paused_note text,
  planning_error text
);

create unique index jobs_name on punctual.jobs (tenant_id, name);
create index jobs_source on punctual.jobs (tenant_id, source) where source is not null;

-- Where each job is: everything up to `cursor_at` is decided, `next_at` is the next slot to decide; null when
-- there is none: paused, finished, or waiting for its run to end.
create table punctual.cursors (
  job_id uuid primary key,
  next_at timestamptz,
  cursor_at timestamptz not null,
  anchor_at timestamptz,
  end_at timestamptz,
  tenant_id integer not null,
  timing integer not null,
  version integer not null,
  runs_left integer,
  failures integer not null default 0,
  shard smallint not null,
  asked_skips smallint not null default 0,
  -- Its jobs row says since when and why; here so that the end of a run does not set it going again.
  paused boolean not null default false
) with (
  fillfactor = 80, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_threshold = 1000000000
);

create index cursors_due on punctual.cursors (shard, next_at) where next_at is not null;

-- One decision for each slot: a run, or a skip with its reason. A row may stand for a range of slots
-- [from_at, slot_at]. Codes: core/src/job/slot-decision.ts.
create table punctual.slots (
  slot_at timestamptz not null,
  job_id uuid not null,
  run_id uuid,
  from_at timestamptz,
  decided_at timestamptz not null,
  slots integer not null,
  tenant_id integer not null,
  decision smallint not null check (decision between 1 and 2),
  reason smallint not null,
  -- False where no rule tells when it should be: it followed from the end of a run.
  computed boolean not null default true,
  primary key (slot_at, job_id)
) partition by range (slot_at);

create index slots_not_computed on punctual.slots (job_id, slot_at) where not computed;

-- Slots ahead that somebody asked to skip.
create table punctual.slot_skips (
  job_id uuid not null,
  slot_at timestamptz not null,
  tenant_id integer not null,
  asked_by text,
  primary key (job_id, slot_at)
);

-- What a job was before it was edited: its past slots are judged by the rules of their time.
create table punctual.job_versions (
  job_id uuid not null,
  until_at timestamptz not null,
  anchor_at timestamptz,
  end_at timestamptz,
  tenant_id integer not null,
  version integer not null,
  timing integer not null,
  change text not null,
  primary key (job_id, version)
);

-- Runs of a job that are no slots: triggered by hand.
create table punctual.triggers (
  job_id uuid not null,
  run_id uuid not null,
  triggered_at timestamptz not null,
  tenant_id integer not null,
  primary key (job_id, run_id)
);

-- Slots of the past that somebody asked to run after all; none twice. The ledger stays as it is.
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
  version integer not null,
  updated_at timestamptz not null,
  name text not null,
  spec text not null,
  primary key (tenant_id, name)
);

-- Planners that are alive, among which the shards are divided.
create table punctual.planners (
  id bigint primary key,
  expires_at timestamptz not null,
  -- The version of the time zone data that it computes with, such as 2025b.
  zone_data text collate "C" not null
) with (fillfactor = 50, vacuum_truncate = off);

-- The one run of a job that may go on, where runs of it must not overlap; from its first start to its end.
create table punctual.job_holds (
  job_id uuid primary key,
  run_id uuid not null
) with (
  vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1,
  autovacuum_analyze_threshold = 1000000000
);

-- Runs that would start and may not yet: another run of their job goes on.
create table punctual.parked (
  run_id uuid primary key,
  parked_at timestamptz not null,
  job_id uuid not null,
  tenant_id integer not null,
  lane integer not null,
  attempt smallint not null,
  crashes smallint not null,
  traits smallint not null
) with (vacuum_truncate = off);

create index parked_job on punctual.parked (job_id);

alter table punctual.runs add column job_id uuid, add column slot_at timestamptz, add column missed_from timestamptz;
alter table punctual.queue add column job_id uuid;
alter table punctual.later add column job_id uuid;
alter table punctual.leases add column job_id uuid, add column cancel_reason text;
