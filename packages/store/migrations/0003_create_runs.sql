-- Runs: their definitions, the places through which they move, and their history.
--
-- Waiting:  later, queue, parked
-- Running:  leases
-- History:  runs, outcomes, attempts, run_logs, checkpoints
--
-- A run that has not ended is in exactly one of later, queue, parked and leases; a run that has
-- ended is in outcomes. Every transition deletes the row from one place, returning it, and inserts
-- it into the next (docs/concepts/protocol.md, ADR 0001). History has one partition a day, by run
-- id (ADR 0002).
--
-- The rows of the hot tables (queue, leases, parked, live_keys) are narrow: fixed-width, not-null
-- columns come first, so that alignment wastes nothing and reading them is cheap; columns that are
-- mostly null, and then take no space, come last. Their autovacuum settings exist because they
-- see many deletes and stay small: vacuum often and without pauses; never truncate, which takes an
-- exclusive lock; and never analyze, because plans are pinned and must not follow what the table
-- holds when it is analyzed.

-- A tenant, queue, handler and priority as one number, so that a claim reads one index range for
-- each lane. Rows are never deleted while a run names them.
create table punctual.lanes (
  id integer generated always as identity primary key,
  tenant_id integer not null references punctual.tenants (id),
  queue text not null,
  handler text not null,
  priority smallint not null check (priority between 0 and 10),
  created_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, queue, handler, priority)
);

-- What each run executes. Written once; only steering a run that has not started updates it.
create table punctual.runs (
  -- A UUIDv7 that carries the due time, which selects the partition.
  id uuid not null,
  due_at timestamptz not null,
  created_at timestamptz not null,
  tenant_id integer not null,
  lane integer not null,
  timeout_ms integer not null check (timeout_ms > 0),
  max_attempts smallint not null check (max_attempts > 0),
  -- Bits that travel with the run from place to place, so that a run without a trait pays nothing
  -- for it: 1 holds a live key; 2 at-most-once; 4 its end decides the next slot of its job; 8 its
  -- failures count towards pausing its job; 16 to 64 (three bits) the overlap policy of its job;
  -- 128 has a checkpoint; 256 has a row in gated; 512 expires.
  traits smallint not null,
  -- JSON as text: it is stored and returned unchanged.
  payload text not null,
  key text,
  labels jsonb,
  -- JSON: retries, delivery, expiry and heartbeats. Null for the defaults, as in most runs.
  policy text,
  created_by text,
  trace text,
  job_id uuid,
  -- The slot of the job that the run executes. Null when it was submitted or triggered.
  slot_at timestamptz,
  -- The first of several missed slots that this run stands for.
  missed_from timestamptz,
  -- The run that this one repeats.
  replay_of uuid,
  -- When a user last changed the run before it started.
  edited_at timestamptz,
  -- {"concurrency": {"key", "limit"}, "rate": {"key", "limit", "perMs", "burst"}} as the user gave
  -- them, and the numbers that gated uses for them: "gate", "rateGate", "rateIntervalUs". Null for
  -- most runs.
  flow jsonb,
  primary key (id)
) partition by range (id);

-- Pages of runs by lane. The only secondary index that every run pays for.
create index runs_lane on punctual.runs (lane, id);
create index runs_job on punctual.runs (job_id, id) where job_id is not null;
create index runs_key on punctual.runs (tenant_id, key, id) where key is not null;

-- Runs that are due beyond the horizon (60 s by default). The promoter moves them to the queue.
create table punctual.later (
  run_id uuid primary key,
  due_at timestamptz not null,
  tenant_id integer not null,
  lane integer not null,
  -- Attempts that have ended, and how many of them ended with the death of their worker.
  attempt smallint not null,
  crashes smallint not null,
  traits smallint not null,
  job_id uuid
) with (fillfactor = 100, vacuum_truncate = off);

create index later_due on punctual.later (due_at);

-- Runs that are due soon, or wait for a worker. Rows are inserted and deleted, never updated: a
-- claim deletes rows by ctid and would miss a new row version.
create table punctual.queue (
  run_id uuid primary key,
  -- milliseconds << 20 | sequence: the due time, or the time of the insert if that is later, so
  -- that no row appears behind the position that a claim has already passed.
  pos bigint not null,
  tenant_id integer not null,
  lane integer not null,
  attempt smallint not null,
  crashes smallint not null,
  traits smallint not null,
  job_id uuid,
  -- Set when the run was released from `parked` for its concurrency key and is not yet claimed: the
  -- next release counts it as a holder.
  gate bigint
) with (
  fillfactor = 100, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_threshold = 1000000000
);

create index queue_lane_pos on punctual.queue (lane, pos);
create index queue_gate on punctual.queue (gate) where gate is not null;

-- Runs that are due and may not start: another run of their job is running, or (`gate` is set) all
-- permits of their concurrency key are taken. After a holder has ended, its worker moves them back
-- to the queue, those of a key in the order of their ids; the reaper does so if the worker dies.
create table punctual.parked (
  run_id uuid primary key,
  parked_at timestamptz not null,
  job_id uuid,
  tenant_id integer not null,
  lane integer not null,
  attempt smallint not null,
  crashes smallint not null,
  traits smallint not null,
  gate bigint,
  gate_limit integer
) with (vacuum_truncate = off);

create index parked_job on punctual.parked (job_id);
create index parked_gate on punctual.parked (gate, run_id) where gate is not null;

-- Runs that a session executes.
create table punctual.leases (
  run_id uuid primary key,
  -- A random number that the worker made before it sent the claim. Every outcome must present it,
  -- so that a worker whose lease was given to another one cannot end the run (ADR 0003).
  fence bigint not null,
  session_id bigint not null,
  claimed_at timestamptz not null,
  -- Committed before the handler is called, for runs that must not start twice. Otherwise null: the
  -- claim counts as the start (ADR 0012).
  started_at timestamptz,
  tenant_id integer not null,
  lane integer not null,
  attempt smallint not null,
  crashes smallint not null,
  traits smallint not null,
  progress text,
  job_id uuid,
  -- Set when the run was asked to end; its handler receives the reason.
  cancel_reason text,
  -- The concurrency key, and which of its permits (1 to the limit) this lease is. Whatever deletes
  -- the lease frees the permit, so that a crash cannot leave one taken (ADR 0013).
  gate bigint,
  gate_slot integer,
  -- The rows of `limits` that count this lease (ADR 0014).
  queue_limit integer,
  tenant_limit integer
) with (
  fillfactor = 90, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_threshold = 1000000000
);

-- Two claims that want the same permit cannot both have it.
create unique index leases_gate on punctual.leases (gate, gate_slot) where gate is not null;
create index leases_queue_limit on punctual.leases (queue_limit) where queue_limit is not null;
create index leases_tenant_limit on punctual.leases (tenant_limit) where tenant_limit is not null;

-- The live run of each key.
create table punctual.live_keys (
  tenant_id integer not null,
  key text not null,
  run_id uuid not null unique,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, key)
) with (vacuum_truncate = off);

-- Keys that were submitted with a window, or to replace or debounce a run. Submissions of such a
-- key take turns by the lock of its row. Nothing else locks these rows, so that two submissions
-- cannot deadlock with a claim or an end, which lock the run before the key. The janitor deletes
-- rows that no longer matter.
create table punctual.key_windows (
  -- When the last submission took its turn.
  used_at timestamptz not null,
  -- Until this instant the key is answered with `run_id`, even after that run has ended. Null
  -- without a window.
  until_at timestamptz,
  tenant_id integer not null,
  key text not null,
  -- The run of the last submission that changed anything, and the id that this submission carried:
  -- a submission that is repeated because its answer was lost finds itself here.
  run_id uuid,
  asked_by uuid,
  primary key (tenant_id, key)
) with (fillfactor = 70, vacuum_truncate = off);

-- How runs ended: exactly one row for each run that has. Only an `unknown` outcome is ever updated,
-- once, when a user resolves it.
create table punctual.outcomes (
  run_id uuid not null,
  -- Fence and session of the last attempt. Null when the run ended without a lease.
  fence bigint,
  session_id bigint,
  started_at timestamptz,
  finished_at timestamptz not null,
  tenant_id integer not null,
  lane integer not null,
  -- 1 succeeded, 2 dead, 3 cancelled, 4 skipped, 5 unknown.
  state smallint not null check (state between 1 and 5),
  -- The number of attempts, including the last one.
  attempt smallint not null,
  crashes smallint not null,
  -- Of the last attempt: 1 succeeded, 2 failed, 3 timed out, 4 crashed, 5 cancelled, 6 terminated.
  -- Null when the run ended without an attempt.
  attempt_outcome smallint,
  output text,
  error jsonb,
  reason text,
  -- Of an unknown run: when, why and by whom it was resolved, and the run that repeats it.
  resolved_at timestamptz,
  replayed_as uuid,
  note text,
  resolved_by text,
  primary key (run_id)
) partition by range (run_id);

-- Both indexes leave out runs that succeeded: nearly all, which then pay nothing for lists of
-- failures.
create index outcomes_failed on punctual.outcomes (tenant_id, finished_at) where state <> 1;
create index outcomes_failed_run on punctual.outcomes (tenant_id, run_id) where state <> 1;

-- Attempts that were followed by another one. The last attempt of a run is in outcomes, so that a
-- run that succeeds at once writes one row.
create table punctual.attempts (
  run_id uuid not null,
  fence bigint,
  session_id bigint,
  -- Null when the attempt was reaped before it was known to have started.
  started_at timestamptz,
  ended_at timestamptz not null,
  tenant_id integer not null,
  attempt smallint not null,
  -- The codes of outcomes.attempt_outcome.
  outcome smallint not null check (outcome between 1 and 5),
  error jsonb,
  primary key (run_id, attempt)
) partition by range (run_id);

create table punctual.run_logs (
  run_id uuid not null,
  at timestamptz not null,
  tenant_id integer not null,
  seq integer not null,
  attempt smallint not null,
  level smallint not null,
  message text not null,
  data text,
  primary key (run_id, attempt, seq)
) partition by range (run_id);

-- The progress that a run saved, which its next attempt receives.
create table punctual.checkpoints (
  run_id uuid not null,
  saved_at timestamptz not null,
  tenant_id integer not null,
  attempt smallint not null,
  state text not null,
  primary key (run_id)
) partition by range (run_id);

-- Runs that died, until a user handles them, and after.
create table punctual.dead_letters (
  run_id uuid primary key,
  died_at timestamptz not null,
  tenant_id integer not null,
  lane integer not null,
  reason text not null,
  -- The error without its ids and numbers: dead letters with the same fingerprint have one cause.
  fingerprint text not null,
  job_id uuid,
  -- Null while the dead letter is open.
  handled_at timestamptz,
  -- 1 replayed, 2 discarded.
  handling smallint,
  replayed_as uuid,
  note text,
  handled_by text
);

create index dead_letters_open on punctual.dead_letters (tenant_id, died_at)
  where handled_at is null;
create index dead_letters_open_run on punctual.dead_letters (tenant_id, run_id)
  where handled_at is null;
create index dead_letters_lane on punctual.dead_letters (lane) where handled_at is null;
create index dead_letters_group on punctual.dead_letters (tenant_id, fingerprint, died_at)
  where handled_at is null;
create index dead_letters_handled on punctual.dead_letters (tenant_id, handled_at)
  where handled_at is not null;
-- The condition always holds. It keeps the planner from using this index in statements that do not
-- repeat it: those find dead letters by their ids.
create index dead_letters_print on punctual.dead_letters (tenant_id, fingerprint, run_id)
  where fingerprint <> '';

-- Outcomes that were refused, because the lease had ended and another worker may execute the run.
create table punctual.stale_settles (
  run_id uuid not null,
  fence bigint not null,
  session_id bigint not null,
  refused_at timestamptz not null default clock_timestamp(),
  tenant_id integer not null,
  primary key (run_id, fence)
);

-- Aborts the statement that calls it, and its transaction, unless the condition holds.
create function punctual.insist(condition boolean, otherwise text) returns boolean
language plpgsql immutable as $$
begin
  if condition then
    return true;
  end if;
  raise exception using errcode = 'PN001', message = otherwise;
end
$$;
