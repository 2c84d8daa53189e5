-- What reading history goes by: pages of runs by queue and handler, by job, by key, and of those that did not succeed.
--
-- Submitting pays for runs_lane. runs_job and runs_key hold only runs that have a job or a key, and the others only runs
-- that did not succeed: a plain run that succeeds is in none of them.

create index runs_lane on punctual.runs (lane, id);
create index runs_job on punctual.runs (job_id, id) where job_id is not null;
create index runs_key on punctual.runs (tenant_id, key, id) where key is not null;

create index outcomes_failed_run on punctual.outcomes (tenant_id, run_id) where state <> 1;

-- Its condition always holds. Only a statement that says so can use it: letters of known ids are found by those.
create index dead_letters_print on punctual.dead_letters (tenant_id, fingerprint, run_id) where fingerprint <> '';
create index dead_letters_open_run on punctual.dead_letters (tenant_id, run_id) where handled_at is null;

-- Jobs by what they are, where that is rare among many: paused ones, and those that will not fire again.
create index jobs_paused on punctual.jobs (tenant_id, id) where paused_at is not null;
create index cursors_over on punctual.cursors (tenant_id, job_id) where next_at is null;

-- How runs ended, by day: what reports read instead of history. The janitor writes them behind what has happened: days of
-- lanes from the counters, days of jobs from the runs of an hour that is past. A day is one in UTC.
create table punctual.lane_days (
  runs bigint not null,
  tenant_id integer not null,
  lane integer not null,
  day date not null,
  state smallint not null,
  primary key (tenant_id, day, lane, state)
);

-- By when runs were due. The zero id stands for jobs beyond the limit of those that are told apart.
create table punctual.job_days (
  job_id uuid not null,
  runs bigint not null,
  tenant_id integer not null,
  day date not null,
  state smallint not null,
  primary key (tenant_id, day, job_id, state)
);

-- Runs of jobs that had not ended when their hour was counted: they are counted when they have.
create table punctual.job_days_late (
  run_id uuid primary key,
  job_id uuid not null,
  tenant_id integer not null
);

-- Up to where each of them is written. Whoever moves it on writes what is between.
create table punctual.day_sums (
  name text primary key,
  through timestamptz not null
);

insert into punctual.day_sums (name, through) values
  ('lanes', date_trunc('day', coalesce((select min(bucket_at) from punctual.counters), clock_timestamp()), 'UTC')),
  ('jobs', date_trunc('hour', clock_timestamp(), 'UTC'));
