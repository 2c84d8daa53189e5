-- What people steer: pauses, workers that are asked to drain, dead letters that are dealt with, replays, edits;
-- and checkpoints of long runs.

-- It grew: how often and when to try again, how to deliver, how often a handler must be heard of.
alter table punctual.runs rename column retry to policy;
alter table punctual.jobs rename column retry to policy;

-- The run that this one does again, and when somebody last changed what it is to do before it started.
alter table punctual.runs add column replay_of uuid, add column edited_at timestamptz;

-- What nothing is claimed from: a queue of a tenant, or, where none is named, all of them. Mostly empty.
create table punctual.pauses (
  tenant_id integer not null references punctual.tenants (id),
  paused_at timestamptz not null,
  queue text,
  note text,
  paused_by text,
  unique nulls not distinct (tenant_id, queue)
);

alter table punctual.lanes drop column paused_at;

-- A worker that is asked to drain claims nothing; `stuck` are runs whose handlers did not end when they were
-- asked to: [{"runId", "handler", "attempt", "ranMs"}].
alter table punctual.sessions
  add column drain_asked_at timestamptz,
  add column stuck jsonb not null default '[]';

-- Workers that were there, for a while: how they left.
create table punctual.past_sessions (
  id bigint primary key,
  opened_at timestamptz not null,
  ended_at timestamptz not null,
  pid integer not null,
  capacity integer not null,
  -- False when it closed by itself.
  fenced boolean not null,
  host text not null,
  version text not null,
  handlers text[] not null,
  queues text[] not null,
  labels jsonb not null
);

create index past_sessions_ended on punctual.past_sessions (ended_at);

-- What a dead letter came to; null while nobody has dealt with it. Codes: core/src/dead-letter/dead-letter.ts.
alter table punctual.dead_letters
  add column job_id uuid,
  add column handled_at timestamptz,
  add column handling smallint,
  add column replayed_as uuid,
  add column note text,
  add column handled_by text;

drop index punctual.dead_letters_died;
drop index punctual.dead_letters_fingerprint;
create index dead_letters_open on punctual.dead_letters (tenant_id, died_at) where handled_at is null;
create index dead_letters_lane on punctual.dead_letters (lane) where handled_at is null;
create index dead_letters_group on punctual.dead_letters (tenant_id, fingerprint, died_at) where handled_at is null;
create index dead_letters_handled on punctual.dead_letters (tenant_id, handled_at) where handled_at is not null;

-- What somebody said of a run whose worker was lost (state 5), and the run that does it again.
alter table punctual.outcomes
  add column resolved_at timestamptz,
  add column replayed_as uuid,
  add column note text,
  add column resolved_by text;

-- How far a run has come: what its next attempt is given.
create table punctual.checkpoints (
  run_id uuid not null,
  saved_at timestamptz not null,
  tenant_id integer not null,
  attempt smallint not null,
  state text not null,
  primary key (run_id)
) partition by range (run_id);
