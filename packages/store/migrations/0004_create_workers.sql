-- Workers and planners that are alive, and the counts of what they did.

-- One row for each connected worker, renewed by its heartbeats: one lease for every run that it
-- executes.
create table punctual.sessions (
  id bigint primary key,
  opened_at timestamptz not null,
  renewed_at timestamptz not null,
  expires_at timestamptz not null,
  lease_ms integer not null,
  -- Null for a worker of the installation, which serves all tenants.
  tenant_id integer,
  pid integer not null,
  capacity integer not null,
  state text not null check (state in ('active', 'draining')),
  host text not null,
  version text not null,
  handlers text[] not null,
  queues text[] not null,
  labels jsonb not null,
  -- A worker that was asked to drain claims nothing more.
  drain_asked_at timestamptz,
  -- Runs whose handlers did not end when they were asked to: [{"runId", "handler", "attempt",
  -- "ranMs"}].
  stuck jsonb not null default '[]'
) with (fillfactor = 50, vacuum_truncate = off);

-- Workers that have left. The janitor deletes them after a day.
create table punctual.past_sessions (
  id bigint primary key,
  opened_at timestamptz not null,
  ended_at timestamptz not null,
  pid integer not null,
  capacity integer not null,
  -- True when the reaper ended the session, false when the worker closed it.
  fenced boolean not null,
  host text not null,
  version text not null,
  handlers text[] not null,
  queues text[] not null,
  labels jsonb not null
);

create index past_sessions_ended on punctual.past_sessions (ended_at);

-- Planners that are alive. They divide the shards of the cursors among themselves.
create table punctual.planners (
  id bigint primary key,
  expires_at timestamptz not null,
  -- The version of its time zone data, such as 2025b: planners with older data leave the planning
  -- to those with the newest (ADR 0011).
  zone_data text collate "C" not null
) with (fillfactor = 50, vacuum_truncate = off);

-- How many runs ended in which state, in buckets of ten seconds. Shorter buckets mean more rows;
-- longer ones mean longer chains of dead row versions while vacuum is held up. The janitor folds
-- old rows into minutes of session 0.
create table punctual.counters (
  session_id bigint not null,
  bucket_at timestamptz not null,
  tenant_id integer not null,
  lane integer not null,
  -- The codes of outcomes.state.
  state smallint not null,
  runs bigint not null,
  -- A worker settles on two connections at once. Each has its own rows; otherwise the second settle
  -- would wait for the commit of the first.
  connection integer not null default pg_backend_pid(),
  primary key (session_id, bucket_at, lane, state, connection)
) with (fillfactor = 50, vacuum_truncate = off);

create index counters_bucket on punctual.counters (bucket_at);

-- Reports read the following sums instead of history. The janitor writes them after the fact: the
-- days of lanes from the counters, the days of jobs from the runs that were due in a past hour. A
-- day is one of UTC.
create table punctual.lane_days (
  runs bigint not null,
  tenant_id integer not null,
  lane integer not null,
  day date not null,
  state smallint not null,
  primary key (tenant_id, day, lane, state)
);

create table punctual.job_days (
  -- The zero id sums the jobs of a tenant beyond the number that is reported one by one.
  job_id uuid not null,
  runs bigint not null,
  tenant_id integer not null,
  -- The day on which the runs were due.
  day date not null,
  state smallint not null,
  primary key (tenant_id, day, job_id, state)
);

-- Runs of jobs that had not ended when their hour was summed. They are counted once they end.
create table punctual.job_days_late (
  run_id uuid primary key,
  job_id uuid not null,
  tenant_id integer not null
);

-- The instant up to which each kind of sum is written. The transaction that advances it writes the
-- sums in between, so that two janitors cannot count the same hour twice.
create table punctual.day_sums (
  name text primary key,
  through timestamptz not null
);

insert into punctual.day_sums (name, through) values
  ('lanes', date_trunc('day', clock_timestamp(), 'UTC')),
  ('jobs', date_trunc('hour', clock_timestamp(), 'UTC'));
