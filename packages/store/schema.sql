-- Written by `npm run schema` from a freshly migrated database. Edit a migration, not this file.
-- The partitions of days are left out. For reading only: tables are in alphabetical order.

create table punctual.api_keys (
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  tenant_id integer,
  name text not null,
  prefix text not null,
  hash bytea not null,
  scopes text[] not null,
  rotated_to uuid,
  created_by text,
  revoked_by text,
  constraint api_keys_pkey primary key (id),
  constraint api_keys_prefix_key unique (prefix),
  constraint api_keys_rotated_to_fkey foreign key (rotated_to) references punctual.api_keys(id) on delete set null,
  constraint api_keys_tenant_id_fkey foreign key (tenant_id) references punctual.tenants(id),
  constraint api_keys_check check ((tenant_id is null) = ('system'::text = any (scopes))),
  constraint api_keys_hash_check check (octet_length(hash) = 32),
  constraint api_keys_scopes_check check (cardinality(scopes) > 0 and scopes <@ array['read'::text, 'submit'::text, 'operate'::text, 'worker'::text, 'admin'::text, 'system'::text])
) with (fillfactor = 80);
create index api_keys_tenant on punctual.api_keys (tenant_id, created_at);

create table punctual.attempts (
  run_id uuid not null,
  fence bigint,
  session_id bigint,
  started_at timestamptz,
  ended_at timestamptz not null,
  tenant_id integer not null,
  attempt smallint not null,
  outcome smallint not null,
  error jsonb,
  constraint attempts_pkey primary key (run_id, attempt),
  constraint attempts_outcome_check check (outcome >= 1 and outcome <= 5)
) partition by range (run_id);

create table punctual.audit_heads (
  chain integer not null,
  seq bigint not null,
  hash bytea not null,
  sealed_at timestamptz not null,
  constraint audit_heads_pkey primary key (chain)
) with (fillfactor = 50);
create trigger audit_heads_are_not_deleted before delete on punctual.audit_heads for each row execute function punctual.refuse_audit_change('chain');
create trigger audit_heads_are_not_truncated before truncate on punctual.audit_heads for each statement execute function punctual.refuse_audit_change();
create trigger audit_heads_only_advance before update on punctual.audit_heads for each row when (((new.chain <> old.chain) or (new.seq <= old.seq))) execute function punctual.refuse_audit_change('chain');

create table punctual.audit_log (
  id uuid not null,
  at timestamptz not null default clock_timestamp(),
  tenant_id integer,
  actor_kind text not null,
  actor_id text,
  actor_name text,
  action text not null,
  target_kind text not null,
  target_id text,
  target_name text,
  before jsonb,
  after jsonb,
  source_ip text,
  request_id text,
  note text,
  constraint audit_log_pkey primary key (id),
  constraint audit_log_actor_kind_check check (actor_kind = any (array['api_key'::text, 'library'::text, 'cli'::text, 'system'::text]))
);
create index audit_log_chain on punctual.audit_log (coalesce(tenant_id, 0), id);
create trigger audit_log_is_append_only before delete or update on punctual.audit_log for each row execute function punctual.refuse_audit_change('tenant_id');
create trigger audit_log_is_not_truncated before truncate on punctual.audit_log for each statement execute function punctual.refuse_audit_change();

create table punctual.audit_seals (
  chain integer not null,
  seq bigint not null,
  entry_id uuid not null,
  content bytea not null,
  hash bytea not null,
  sealed_at timestamptz not null default clock_timestamp(),
  constraint audit_seals_pkey primary key (chain, seq),
  constraint audit_seals_entry_id_key unique (entry_id),
  constraint audit_seals_content_check check (octet_length(content) = 32),
  constraint audit_seals_hash_check check (octet_length(hash) = 32),
  constraint audit_seals_seq_check check (seq > 0)
);
create trigger audit_seals_are_append_only before delete or update on punctual.audit_seals for each row execute function punctual.refuse_audit_change('chain');
create trigger audit_seals_are_not_truncated before truncate on punctual.audit_seals for each statement execute function punctual.refuse_audit_change();

create table punctual.audit_unsealed (
  entry_id uuid not null,
  chain integer not null,
  constraint audit_unsealed_pkey primary key (entry_id),
  constraint audit_unsealed_entry_id_fkey foreign key (entry_id) references punctual.audit_log(id) on delete cascade
) with (vacuum_truncate = off);

create table punctual.backfills (
  job_id uuid not null,
  slot_at timestamptz not null,
  run_id uuid not null,
  asked_at timestamptz not null,
  tenant_id integer not null,
  constraint backfills_pkey primary key (job_id, slot_at)
);

create table punctual.calendars (
  tenant_id integer not null,
  version integer not null,
  updated_at timestamptz not null,
  name text not null,
  spec text not null,
  constraint calendars_pkey primary key (tenant_id, name),
  constraint calendars_tenant_id_fkey foreign key (tenant_id) references punctual.tenants(id)
);

create table punctual.callback_keys (
  id smallint not null generated always as identity,
  secret bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint callback_keys_pkey primary key (id)
);

create table punctual.carried_changes (
  run_id uuid not null
);

create table punctual.checkpoints (
  run_id uuid not null,
  saved_at timestamptz not null,
  tenant_id integer not null,
  attempt smallint not null,
  state text not null,
  constraint checkpoints_pkey primary key (run_id)
) partition by range (run_id);

create table punctual.counters (
  session_id bigint not null,
  bucket_at timestamptz not null,
  tenant_id integer not null,
  lane integer not null,
  state smallint not null,
  runs bigint not null,
  connection integer not null default pg_backend_pid(),
  constraint counters_pkey primary key (session_id, bucket_at, lane, state, connection)
) with (fillfactor = 50, vacuum_truncate = off);
create index counters_bucket on punctual.counters (bucket_at);

create table punctual.cursors (
  job_id uuid not null,
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
  paused boolean not null default false,
  once boolean not null default false,
  constraint cursors_pkey primary key (job_id)
) with (fillfactor = 80, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_threshold = 1000000000);
create index cursors_due on punctual.cursors (shard, next_at) where next_at is not null;
create index cursors_once_ahead on punctual.cursors (tenant_id) where once and (next_at is not null or paused);
create index cursors_once_over on punctual.cursors (cursor_at, job_id) where once and next_at is null and not paused;
create index cursors_over on punctual.cursors (tenant_id, job_id) where next_at is null;

create table punctual.day_sums (
  name text not null,
  through timestamptz not null,
  constraint day_sums_pkey primary key (name)
);

create table punctual.dead_letters (
  run_id uuid not null,
  died_at timestamptz not null,
  tenant_id integer not null,
  lane integer not null,
  reason text not null,
  fingerprint text not null,
  job_id uuid,
  handled_at timestamptz,
  handling smallint,
  replayed_as uuid,
  note text,
  handled_by text,
  constraint dead_letters_pkey primary key (run_id)
);
create index dead_letters_group on punctual.dead_letters (tenant_id, fingerprint, died_at) where handled_at is null;
create index dead_letters_handled on punctual.dead_letters (tenant_id, handled_at) where handled_at is not null;
create index dead_letters_lane on punctual.dead_letters (lane) where handled_at is null;
create index dead_letters_open on punctual.dead_letters (tenant_id, died_at) where handled_at is null;
create index dead_letters_open_run on punctual.dead_letters (tenant_id, run_id) where handled_at is null;
create index dead_letters_print on punctual.dead_letters (tenant_id, fingerprint, run_id) where fingerprint <> ''::text;

create table punctual.gated (
  run_id uuid not null,
  gate bigint,
  gate_limit integer,
  rate bigint,
  rate_interval_us bigint,
  rate_burst integer,
  booked_us bigint,
  constraint gated_pkey primary key (run_id),
  constraint gated_gate_limit_check check (gate_limit > 0),
  constraint gated_rate_burst_check check (rate_burst > 0),
  constraint gated_rate_interval_us_check check (rate_interval_us > 0)
) with (vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_threshold = 1000000000);
create index gated_rate on punctual.gated (rate, booked_us) where booked_us is not null;

create table punctual.group_members (
  group_id uuid not null,
  run_id uuid not null,
  place integer not null,
  constraint group_members_pkey primary key (group_id, place)
) with (vacuum_truncate = off);
create unique index group_members_run on punctual.group_members (run_id, group_id);

create table punctual.groups (
  id uuid not null,
  created_at timestamptz not null,
  closed_at timestamptz,
  done_at timestamptz,
  callback_run_id uuid,
  tenant_id integer not null,
  total integer not null default 0,
  passed integer not null default 0,
  succeeded integer not null default 0,
  dead integer not null default 0,
  cancelled integer not null default 0,
  skipped integer not null default 0,
  unknown integer not null default 0,
  name text,
  callback jsonb,
  callback_payload text,
  constraint groups_pkey primary key (id),
  constraint groups_tenant_id_fkey foreign key (tenant_id) references punctual.tenants(id),
  constraint groups_check check (passed >= 0 and passed <= total),
  constraint groups_check1 check (done_at is null or closed_at is not null and passed = total)
) with (fillfactor = 70, vacuum_truncate = off);
create index groups_done on punctual.groups (done_at) where done_at is not null;
create index groups_open on punctual.groups (id) where done_at is null;
create index groups_open_tenant on punctual.groups (tenant_id) where done_at is null;
create index groups_tenant on punctual.groups (tenant_id, id);

create table punctual.job_days (
  job_id uuid not null,
  runs bigint not null,
  tenant_id integer not null,
  day date not null,
  state smallint not null,
  constraint job_days_pkey primary key (tenant_id, day, job_id, state)
);

create table punctual.job_days_late (
  run_id uuid not null,
  job_id uuid not null,
  tenant_id integer not null,
  constraint job_days_late_pkey primary key (run_id)
);

create table punctual.job_holds (
  job_id uuid not null,
  run_id uuid not null,
  constraint job_holds_pkey primary key (job_id)
) with (vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_threshold = 1000000000);

create table punctual.job_versions (
  job_id uuid not null,
  until_at timestamptz not null,
  anchor_at timestamptz,
  end_at timestamptz,
  tenant_id integer not null,
  version integer not null,
  timing integer not null,
  change text not null,
  constraint job_versions_pkey primary key (job_id, version)
);
create index job_versions_timing on punctual.job_versions (timing);

create table punctual.jobs (
  id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  paused_at timestamptz,
  start_at timestamptz,
  tenant_id integer not null,
  lane integer not null,
  timing integer not null,
  version integer not null,
  timeout_ms integer not null,
  max_runs integer,
  max_attempts smallint not null,
  traits smallint not null,
  name text not null,
  payload text not null,
  source text,
  policy text,
  labels jsonb,
  description text,
  owner text,
  created_by text,
  paused_note text,
  planning_error text,
  flow jsonb,
  once boolean not null default false,
  constraint jobs_pkey primary key (id),
  constraint jobs_tenant_id_fkey foreign key (tenant_id) references punctual.tenants(id),
  constraint jobs_timing_fkey foreign key (timing) references punctual.timings(id),
  constraint jobs_max_attempts_check check (max_attempts > 0),
  constraint jobs_max_runs_check check (max_runs > 0),
  constraint jobs_timeout_ms_check check (timeout_ms > 0)
);
create index jobs_again on punctual.jobs (tenant_id) where not once;
create unique index jobs_name on punctual.jobs (tenant_id, name);
create index jobs_paused on punctual.jobs (tenant_id, id) where paused_at is not null;
create index jobs_source on punctual.jobs (tenant_id, source) where source is not null;
create index jobs_timing on punctual.jobs (timing);

create table punctual.key_windows (
  used_at timestamptz not null,
  until_at timestamptz,
  tenant_id integer not null,
  key text not null,
  run_id uuid,
  asked_by uuid,
  constraint key_windows_pkey primary key (tenant_id, key)
) with (fillfactor = 70, vacuum_truncate = off);

create table punctual.lane_days (
  runs bigint not null,
  tenant_id integer not null,
  lane integer not null,
  day date not null,
  state smallint not null,
  constraint lane_days_pkey primary key (tenant_id, day, lane, state)
);

create table punctual.lanes (
  id integer not null generated always as identity,
  tenant_id integer not null,
  queue text not null,
  handler text not null,
  priority smallint not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint lanes_pkey primary key (id),
  constraint lanes_tenant_id_queue_handler_priority_key unique (tenant_id, queue, handler, priority),
  constraint lanes_tenant_id_fkey foreign key (tenant_id) references punctual.tenants(id),
  constraint lanes_priority_check check (priority >= 0 and priority <= 10)
);

create table punctual.later (
  run_id uuid not null,
  due_at timestamptz not null,
  tenant_id integer not null,
  lane integer not null,
  attempt smallint not null,
  crashes smallint not null,
  traits smallint not null,
  job_id uuid,
  constraint later_pkey primary key (run_id)
) with (fillfactor = 100, vacuum_truncate = off);
create index later_due on punctual.later (due_at);
create index later_lane on punctual.later (lane, run_id);

create table punctual.leases (
  run_id uuid not null,
  fence bigint not null,
  session_id bigint not null,
  claimed_at timestamptz not null,
  started_at timestamptz,
  tenant_id integer not null,
  lane integer not null,
  attempt smallint not null,
  crashes smallint not null,
  traits smallint not null,
  progress text,
  job_id uuid,
  cancel_reason text,
  gate bigint,
  gate_slot integer,
  queue_limit integer,
  tenant_limit integer,
  wake_at timestamptz,
  deadline_at timestamptz,
  status_url text,
  constraint leases_pkey primary key (run_id)
) with (fillfactor = 90, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_threshold = 1000000000);
create index leases_awaiting on punctual.leases (tenant_id) where session_id = 0;
create unique index leases_gate on punctual.leases (gate, gate_slot) where gate is not null;
create index leases_queue_limit on punctual.leases (queue_limit) where queue_limit is not null;
create index leases_tenant_limit on punctual.leases (tenant_limit) where tenant_limit is not null;
create index leases_wake on punctual.leases (wake_at) where wake_at is not null;

create table punctual.limits (
  id integer not null generated always as identity,
  turn bigint not null default 0,
  next_us bigint not null default 0,
  tenant_id integer not null,
  set_at timestamptz not null,
  concurrency integer,
  rate_limit integer,
  rate_per_ms bigint,
  rate_burst integer,
  rate_interval_us bigint,
  ageing_ms bigint,
  weight integer,
  queue text,
  set_by text,
  constraint limits_pkey primary key (id),
  constraint limits_tenant_id_queue_key unique nulls not distinct (tenant_id, queue),
  constraint limits_tenant_id_fkey foreign key (tenant_id) references punctual.tenants(id),
  constraint limits_ageing_ms_check check (ageing_ms > 0),
  constraint limits_concurrency_check check (concurrency >= 0),
  constraint limits_rate_burst_check check (rate_burst > 0),
  constraint limits_rate_interval_us_check check (rate_interval_us > 0),
  constraint limits_rate_limit_check check (rate_limit > 0),
  constraint limits_rate_per_ms_check check (rate_per_ms > 0),
  constraint limits_weight_check check (weight > 0)
) with (fillfactor = 50, vacuum_truncate = off);
create index limits_by_queue on punctual.limits (tenant_id, coalesce(queue, ''::text));

create table punctual.live_keys (
  tenant_id integer not null,
  key text not null,
  run_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint live_keys_pkey primary key (tenant_id, key),
  constraint live_keys_run_id_key unique (run_id)
) with (vacuum_truncate = off);

create table punctual.migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  breaking boolean not null,
  applied_at timestamptz not null default clock_timestamp(),
  constraint migrations_pkey primary key (version)
);

create table punctual.outcomes (
  run_id uuid not null,
  fence bigint,
  session_id bigint,
  started_at timestamptz,
  finished_at timestamptz not null,
  tenant_id integer not null,
  lane integer not null,
  state smallint not null,
  attempt smallint not null,
  crashes smallint not null,
  attempt_outcome smallint,
  output text,
  error jsonb,
  reason text,
  resolved_at timestamptz,
  replayed_as uuid,
  note text,
  resolved_by text,
  constraint outcomes_pkey primary key (run_id),
  constraint outcomes_state_check check (state >= 1 and state <= 5)
) partition by range (run_id);
create index outcomes_failed on punctual.outcomes (tenant_id, finished_at) where state <> 1;
create index outcomes_failed_run on punctual.outcomes (tenant_id, run_id) where state <> 1;

create table punctual.parked (
  run_id uuid not null,
  parked_at timestamptz not null,
  job_id uuid,
  tenant_id integer not null,
  lane integer not null,
  attempt smallint not null,
  crashes smallint not null,
  traits smallint not null,
  gate bigint,
  gate_limit integer,
  constraint parked_pkey primary key (run_id)
) with (vacuum_truncate = off);
create index parked_gate on punctual.parked (gate, run_id) where gate is not null;
create index parked_job on punctual.parked (job_id);
create index parked_lane on punctual.parked (lane, run_id);

create table punctual.past_sessions (
  id bigint not null,
  opened_at timestamptz not null,
  ended_at timestamptz not null,
  pid integer not null,
  capacity integer not null,
  fenced boolean not null,
  host text not null,
  version text not null,
  handlers text[] not null,
  queues text[] not null,
  labels jsonb not null,
  constraint past_sessions_pkey primary key (id)
);
create index past_sessions_ended on punctual.past_sessions (ended_at);

create table punctual.pauses (
  tenant_id integer not null,
  paused_at timestamptz not null,
  queue text,
  note text,
  paused_by text,
  of_suspension boolean not null default false,
  constraint pauses_tenant_id_queue_of_suspension_key unique nulls not distinct (tenant_id, queue, of_suspension),
  constraint pauses_tenant_id_fkey foreign key (tenant_id) references punctual.tenants(id)
);
create index pauses_by_queue on punctual.pauses (tenant_id, coalesce(queue, ''::text));

create table punctual.planners (
  id bigint not null,
  expires_at timestamptz not null,
  zone_data text collate "C" not null,
  constraint planners_pkey primary key (id)
) with (fillfactor = 50, vacuum_truncate = off);

create table punctual.queue (
  run_id uuid not null,
  pos bigint not null,
  tenant_id integer not null,
  lane integer not null,
  attempt smallint not null,
  crashes smallint not null,
  traits smallint not null,
  job_id uuid,
  gate bigint,
  constraint queue_pkey primary key (run_id)
) with (fillfactor = 100, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_threshold = 1000000000);
create index queue_gate on punctual.queue (gate) where gate is not null;
create index queue_lane_pos on punctual.queue (lane, pos);

create table punctual.rate_starts (
  rate bigint not null,
  used_us bigint not null,
  constraint rate_starts_pkey primary key (rate)
) with (fillfactor = 50, vacuum_truncate = off);

create table punctual.rates (
  rate bigint not null,
  next_us bigint not null,
  constraint rates_pkey primary key (rate)
) with (fillfactor = 50, vacuum_truncate = off);

create table punctual.requests (
  tenant_id integer not null,
  key text not null,
  fingerprint bytea not null,
  answered_at timestamptz not null default clock_timestamp(),
  status smallint not null,
  body text not null,
  constraint requests_pkey primary key (tenant_id, key),
  constraint requests_tenant_id_fkey foreign key (tenant_id) references punctual.tenants(id)
);
create index requests_answered on punctual.requests (answered_at);

create table punctual.row_security (
  one boolean not null default true,
  required_since timestamptz not null default clock_timestamp(),
  constraint row_security_pkey primary key (one),
  constraint row_security_one_check check (one)
);

create table punctual.run_logs (
  run_id uuid not null,
  at timestamptz not null,
  tenant_id integer not null,
  seq integer not null,
  attempt smallint not null,
  level smallint not null,
  message text not null,
  data text,
  constraint run_logs_pkey primary key (run_id, attempt, seq)
) partition by range (run_id);

create table punctual.runs (
  id uuid not null,
  due_at timestamptz not null,
  created_at timestamptz not null,
  tenant_id integer not null,
  lane integer not null,
  timeout_ms integer not null,
  max_attempts smallint not null,
  traits smallint not null,
  payload text not null,
  key text,
  labels jsonb,
  policy text,
  created_by text,
  trace text,
  job_id uuid,
  slot_at timestamptz,
  missed_from timestamptz,
  replay_of uuid,
  edited_at timestamptz,
  flow jsonb,
  constraint runs_pkey primary key (id),
  constraint runs_max_attempts_check check (max_attempts > 0),
  constraint runs_timeout_ms_check check (timeout_ms > 0)
) partition by range (id);
create index runs_job on punctual.runs (job_id, id) where job_id is not null;
create index runs_key on punctual.runs (tenant_id, key, id) where key is not null;
create index runs_lane on punctual.runs (lane, id);

create table punctual.secrets (
  tenant_id integer not null,
  name text not null,
  version integer not null,
  key_id text not null,
  nonce bytea not null,
  ciphertext bytea not null,
  created_at timestamptz not null,
  created_by text,
  updated_at timestamptz not null,
  updated_by text,
  constraint secrets_pkey primary key (tenant_id, name),
  constraint secrets_tenant_id_fkey foreign key (tenant_id) references punctual.tenants(id),
  constraint secrets_nonce_check check (octet_length(nonce) = 12),
  constraint secrets_version_check check (version > 0)
);

create table punctual.sessions (
  id bigint not null,
  opened_at timestamptz not null,
  renewed_at timestamptz not null,
  expires_at timestamptz not null,
  lease_ms integer not null,
  tenant_id integer,
  pid integer not null,
  capacity integer not null,
  state text not null,
  host text not null,
  version text not null,
  handlers text[] not null,
  queues text[] not null,
  labels jsonb not null,
  drain_asked_at timestamptz,
  stuck jsonb not null default '[]'::jsonb,
  constraint sessions_pkey primary key (id),
  constraint sessions_state_check check (state = any (array['active'::text, 'draining'::text]))
) with (fillfactor = 50, vacuum_truncate = off);
create index sessions_tenant on punctual.sessions (tenant_id) where tenant_id is not null;

create table punctual.slot_skips (
  job_id uuid not null,
  slot_at timestamptz not null,
  tenant_id integer not null,
  asked_by text,
  constraint slot_skips_pkey primary key (job_id, slot_at)
);

create table punctual.slots (
  slot_at timestamptz not null,
  job_id uuid not null,
  run_id uuid,
  from_at timestamptz,
  decided_at timestamptz not null,
  slots integer not null,
  tenant_id integer not null,
  decision smallint not null,
  reason smallint not null,
  computed boolean not null default true,
  constraint slots_pkey primary key (slot_at, job_id),
  constraint slots_decision_check check (decision >= 1 and decision <= 2)
) partition by range (slot_at);
create index slots_not_computed on punctual.slots (job_id, slot_at) where not computed;

create table punctual.stale_settles (
  run_id uuid not null,
  fence bigint not null,
  session_id bigint not null,
  refused_at timestamptz not null default clock_timestamp(),
  tenant_id integer not null,
  constraint stale_settles_pkey primary key (run_id, fence)
);

create table punctual.tenant_submissions (
  second bigint not null,
  granted bigint not null,
  last bigint not null,
  tenant_id integer not null,
  constraint tenant_submissions_pkey primary key (tenant_id),
  constraint tenant_submissions_tenant_id_fkey foreign key (tenant_id) references punctual.tenants(id)
) with (fillfactor = 50, vacuum_truncate = off);

create table punctual.tenants (
  id integer not null generated by default as identity,
  name text not null,
  created_at timestamptz not null default clock_timestamp(),
  quotas jsonb not null default '{}'::jsonb,
  suspended_at timestamptz,
  erasing_at timestamptz,
  erased_at timestamptz,
  note text,
  created_by text,
  suspended_by text,
  suspended_note text,
  constraint tenants_pkey primary key (id),
  constraint tenants_name_key unique (name),
  constraint tenants_check check (erased_at is null or erasing_at is not null),
  constraint tenants_quotas_check check (jsonb_typeof(quotas) = 'object'::text)
);

create table punctual.timings (
  id integer not null generated always as identity,
  spec text not null,
  unused_at timestamptz,
  constraint timings_pkey primary key (id)
);
create unique index timings_spec on punctual.timings (md5(spec));

create table punctual.triggers (
  job_id uuid not null,
  run_id uuid not null,
  triggered_at timestamptz not null,
  tenant_id integer not null,
  constraint triggers_pkey primary key (job_id, run_id)
);

-- Functions

create function punctual.accept_submission(handler text, payload jsonb default 'null'::jsonb, options jsonb default '{}'::jsonb)
 returns uuid
 language plpgsql
 set search_path to 'pg_catalog', 'pg_temp'
 set "TimeZone" to 'UTC'
 set extra_float_digits to '1'
as $function$
declare
  given jsonb := punctual.given_options(options);
  name text := punctual.text_option(jsonb_build_object('handler', handler), 'handler', 128);
  body text := punctual.payload_text(payload);
  run_key text := punctual.text_option(given, 'key', 255);
  bits smallint := case when run_key is null then 0 else 1 end;
  now_at timestamptz := clock_timestamp();
  sequence bigint := (extract(epoch from now_at) * 1000000)::bigint & 1048575;
  due_ms bigint := punctual.due_option(given, now_at);
  now_ms bigint := floor(extract(epoch from now_at) * 1000);
  tenant integer;
  run_lane integer;
  run_id uuid;
  holder uuid;
begin
  select id into tenant from punctual.tenants
  where tenants.name = coalesce(punctual.text_option(given, 'tenant', 128), 'default');
  if tenant is null then
    perform punctual.refuse_option('tenant', 'the name of an existing tenant', given -> 'tenant');
  end if;
  run_lane := punctual.lane_for(
    tenant, coalesce(punctual.text_option(given, 'queue', 128), 'default'), name,
    punctual.integer_option(given, 'priority', 0, 10, 5)::smallint);
  -- A run that is due beyond the days that surely have partitions gets an id of the time of its
  -- creation.
  run_id := punctual.make_run_id(
    case when due_ms > now_ms and due_ms - now_ms <= 1123200000 then due_ms else now_ms end,
    sequence);
  if run_key is not null then
    holder := punctual.take_key(tenant, run_key, run_id);
    if holder <> run_id then
      return holder;
    end if;
  end if;
  -- The clock is read again, because the lane or the key may have been locked for a while, and a
  -- position is never in the past.
  now_at := clock_timestamp();
  now_ms := floor(extract(epoch from now_at) * 1000);
  insert into punctual.runs (
    id, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload, key, labels,
    created_by, trace)
  values (
    run_id, coalesce(to_timestamp(due_ms::float8 / 1000), now_at), now_at, tenant, run_lane,
    punctual.integer_option(given, 'timeout_ms', 1, 2000000000, 300000),
    punctual.integer_option(given, 'max_attempts', 1, 1000, 3), bits, body, run_key,
    punctual.labels_option(given), punctual.text_option(given, 'created_by', 256),
    punctual.text_option(given, 'trace', 512));
  if due_ms > now_ms + 60000 then
    insert into punctual.later (run_id, due_at, tenant_id, lane, attempt, crashes, traits)
    values (run_id, to_timestamp(due_ms::float8 / 1000), tenant, run_lane, 0, 0, bits);
  else
    insert into punctual.queue (run_id, pos, tenant_id, lane, attempt, crashes, traits)
    values (run_id, (greatest(due_ms, now_ms) << 20) | sequence, tenant, run_lane, 0, 0, bits);
  end if;
  perform punctual.hint('- due ' || run_lane);
  return run_id;
end
$function$;

create function punctual.after_ms(value text, from_at timestamp with time zone)
 returns bigint
 language plpgsql
as $function$
declare
  until_at timestamptz;
begin
  until_at := from_at + value::interval;
  if until_at < from_at or until_at > from_at + interval '36600 days' then
    return null;
  end if;
  return round(extract(epoch from until_at) * 1000);
exception when datetime_field_overflow or invalid_datetime_format or interval_field_overflow then
  return null;
end
$function$;

create function punctual.due_option(options jsonb, now_at timestamp with time zone)
 returns bigint
 language plpgsql
as $function$
declare
  field text;
  given jsonb;
  kind text;
  due_ms bigint;
  number numeric;
begin
  select key, value, jsonb_typeof(value) into field, given, kind
  from jsonb_each(options) where key in ('run_at', 'delay', 'delay_ms');
  if not found then
    return null;
  end if;
  if (
    select count(*) from jsonb_object_keys(options) key where key in ('run_at', 'delay', 'delay_ms')
  ) > 1 then
    perform punctual.refuse(
      'invalid_option', 'run_at, delay and delay_ms exclude each other; give one of them.');
  end if;
  number := case kind when 'number' then (given #>> '{}')::numeric end;
  if field = 'delay_ms' then
    if number is null or number not between 0 and 3162240000000 then
      perform punctual.refuse_option(field, 'a number from 0 to 3162240000000', given);
    end if;
    return round(extract(epoch from now_at) * 1000 + number);
  elsif field = 'delay' then
    due_ms := case kind when 'string' then punctual.after_ms(given #>> '{}', now_at) end;
    if due_ms is null then
      perform punctual.refuse_option(
        field, 'an interval from 0 to 36600 days, such as "5 minutes"', given);
    end if;
    return due_ms;
  end if;
  due_ms := case
    when kind = 'string' then punctual.instant_ms(given #>> '{}')
    when number between -1e15 and 1e15 then trunc(number)
  end;
  if due_ms is null then
    perform punctual.refuse_option(
      field, 'an ISO 8601 string with Z or an offset, or milliseconds since 1970', given);
  elsif due_ms not between 0 and 253402300799999 then
    perform punctual.refuse_option(field, 'between the years 1970 and 9999', given);
  end if;
  return due_ms;
end
$function$;

create function punctual.enable_all_row_security()
 returns void
 language plpgsql
as $function$
declare
  role text := punctual.tenant_role();
  place regclass;
begin
  if to_regrole(role) is null then
    begin
      execute format('create role %I nologin', role);
    exception
      -- Another database of this server has just created it.
      when duplicate_object or unique_violation then null;
      -- Without the role there is no row security; `punctual doctor` and the guarantees report it.
      when insufficient_privilege then null;
    end;
  end if;
  if to_regrole(role) is not null then
    begin
      if not punctual.may_be_tenant() then
        execute format('grant %I to current_user', role);
      end if;
    exception
      when insufficient_privilege then null;
    end;
    if not has_schema_privilege(role, split_part('punctual.tenant', '.', 1), 'usage') then
      execute format('grant usage on schema %I to %I', split_part('punctual.tenant', '.', 1), role);
    end if;
  end if;
  for place in
    select c.oid::regclass
    from pg_class c
    where c.relnamespace = split_part('punctual.tenant', '.', 1)::regnamespace
      and c.relkind in ('r', 'p')
  loop
    perform punctual.enable_row_security(place);
  end loop;
  if punctual.may_be_tenant() and not punctual.tenant_role_is_strong() then
    insert into punctual.row_security default values on conflict (one) do nothing;
  end if;
end
$function$;

create function punctual.enable_row_security(place regclass)
 returns void
 language plpgsql
as $function$
declare
  role text := punctual.tenant_role();
  rule record := punctual.row_security_of(place);
  others text := format('(select current_user <> %L)', role);
  session text := punctual.session_condition();
begin
  if rule.rights is null then
    return;
  end if;
  if not (select c.relrowsecurity from pg_class c where c.oid = place) then
    execute format('alter table %s enable row level security', place);
  end if;
  if not exists (select from pg_policy p where p.polrelid = place and p.polname = 'tenant_isolation') then
    execute format(
      'create policy tenant_isolation on %s using (%s or (%s and (%s))) with check (%s or (%s and (%s)))',
      place, others, session, rule.sees, others, session, rule.writes);
  end if;
  if to_regrole(role) is not null
    and not has_any_column_privilege(role, place, 'select, insert')
  then
    execute format('grant %s on %s to %I', rule.rights, place, role);
  end if;
end
$function$;

create function punctual.given_options(options jsonb)
 returns jsonb
 language plpgsql
as $function$
declare
  given jsonb := jsonb_strip_nulls(coalesce(options, '{}'));
  known text[] := array[
    'queue', 'priority', 'run_at', 'delay', 'delay_ms', 'max_attempts', 'timeout_ms', 'key',
    'labels', 'tenant', 'created_by', 'trace'];
  unknown text;
begin
  if jsonb_typeof(given) <> 'object' then
    perform punctual.refuse_option('options', 'an object', given);
  end if;
  select key into unknown from jsonb_object_keys(given) key where key <> all (known) limit 1;
  if found then
    perform punctual.refuse('invalid_option', format(
      '%s is not an option of submit. The options are %s.',
      to_json(left(unknown, 80)), array_to_string(known, ', ')));
  end if;
  return given;
end
$function$;

create function punctual.hint(message text)
 returns void
 language sql
as $function$
  -- Migrating replaces `punctual` before a dot by the name of the schema, here too.
  select pg_notify(rtrim('punctual.', '.') || '_due', message)
$function$;

create function punctual.insist(condition boolean, otherwise text)
 returns boolean
 language plpgsql
 immutable
as $function$
begin
  if condition then
    return true;
  end if;
  raise exception using errcode = 'PN001', message = otherwise;
end
$function$;

create function punctual.instant_ms(value text)
 returns bigint
 language plpgsql
as $function$
begin
  if value !~ '^\d{4}-\d\d-\d\d(T\d\d:[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$' then
    return null;
  end if;
  return extract(epoch from regexp_replace(value, '(\.\d{3})\d+', '\1')::timestamptz) * 1000;
exception when datetime_field_overflow or invalid_datetime_format then
  return null;
end
$function$;

create function punctual.integer_option(options jsonb, field text, least_value bigint, most_value bigint, otherwise bigint)
 returns bigint
 language plpgsql
as $function$
declare
  given jsonb := options -> field;
  value numeric;
begin
  if given is null then
    return otherwise;
  end if;
  if jsonb_typeof(given) = 'number' then
    value := (given #>> '{}')::numeric;
  end if;
  if value = trunc(value) and value between least_value and most_value then
    return value;
  end if;
  perform punctual.refuse_option(
    field, format('an integer from %s to %s', least_value, most_value), given);
end
$function$;

create function punctual.is_kept_by_javascript(n numeric)
 returns boolean
 language sql
as $function$
  select case
    when n = 0 then true
    when abs(n) not between 5e-324 and 1.7976931348623157e308 then false
    -- A number halfway between two doubles: JavaScript writes fewer digits than PostgreSQL needs.
    else double = n
      or length(trim('0' from translate(n::text, '-.', '')))
        < length(trim('0' from translate(double::text, '-.', '')))
  end
  from (
    select case
      when abs(n) between 5e-324 and 1.7976931348623157e308 then n::float8::text::numeric
    end as double
  ) d
$function$;

create function punctual.labels_option(options jsonb)
 returns jsonb
 language plpgsql
as $function$
declare
  labels jsonb := options -> 'labels';
  label record;
begin
  if labels is null or labels = '{}' then
    return null;
  end if;
  if jsonb_typeof(labels) <> 'object' then
    perform punctual.refuse_option('labels', 'an object of strings', labels);
  end if;
  if (select count(*) from jsonb_object_keys(labels)) > 16 then
    perform punctual.refuse_option('labels', 'an object of at most 16 labels', labels);
  end if;
  for label in select 'labels.' || key as field, key, value from jsonb_each(labels) loop
    perform punctual.text_option(jsonb_build_object('labels key', label.key), 'labels key', 64);
    if label.value <> '""' then
      perform punctual.text_option(jsonb_build_object(label.field, label.value), label.field, 256);
    end if;
  end loop;
  return labels;
end
$function$;

create function punctual.lane_for(tenant integer, queue_name text, handler_name text, level smallint)
 returns integer
 language plpgsql
as $function$
declare
  lane integer;
  most integer;
begin
  if handler_name like '@%' then
    perform punctual.refuse('invalid_option', format(
      'handler must be a name that does not begin with @, which targets reserve; got %s.',
      left(to_json(handler_name)::text, 80)));
  end if;
  select coalesce((quotas ->> 'lanes')::integer, 1000) into most
  from punctual.tenants where id = tenant;
  -- Each try takes the next number of the sequence, so that numbers that are in use, where the
  -- sequence is behind the table, are skipped.
  for try in 1 .. 10000 loop
    select id into lane from punctual.lanes
    where tenant_id = tenant and queue = queue_name and handler = handler_name and priority = level;
    if found then
      return lane;
    end if;
    exit when (select count(*) from punctual.lanes where tenant_id = tenant) >= most;
    insert into punctual.lanes (tenant_id, queue, handler, priority)
    values (tenant, queue_name, handler_name, level)
    on conflict do nothing
    returning id into lane;
    if found then
      perform punctual.hint('- new ' || lane);
      return lane;
    end if;
  end loop;
  raise exception using errcode = '53400', message =
    'lanes_exhausted: The tenant has ' || most || ' combinations of queue, handler and priority, '
    || 'which is its quota of lanes. Use fewer queues, and put variable parts into labels or a key.';
end
$function$;

create function punctual.make_run_id(ms bigint, sequence bigint)
 returns uuid
 language sql
as $function$
  select (
    lpad(to_hex(ms), 12, '0')
    || '7' || lpad(to_hex(sequence >> 8), 3, '0')
    || to_hex(32768 | ((sequence & 255) << 6) | floor(random() * 64)::bigint)
    || right(gen_random_uuid()::text, 12)
  )::uuid
$function$;

create function punctual.may_be_tenant()
 returns boolean
 language sql
 stable
as $function$
  select coalesce(
    pg_has_role(
      current_user, to_regrole(punctual.tenant_role())::oid,
      case
        when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member'
      end),
    false)
$function$;

create function punctual.note_carried_change()
 returns trigger
 language plpgsql
as $function$
declare
  changed uuid;
begin
  if tg_op = 'DELETE' then
    execute format('select ($1).%I', tg_argv[0]) into changed using old;
  else
    execute format('select ($1).%I', tg_argv[0]) into changed using new;
  end if;
  insert into punctual.carried_changes values (changed);
  return null;
end
$function$;

create function punctual.payload_text(payload jsonb)
 returns text
 language plpgsql
as $function$
declare
  value jsonb := coalesce(payload, 'null');
  body text := value::text;
  changed numeric;
begin
  if octet_length(body) > 1048576 then
    perform punctual.refuse('payload_too_large', format(
      'payload has %s bytes as JSON; the limit is 1048576. '
      || 'Store it elsewhere and pass a reference.',
      octet_length(body)));
  end if;
  if octet_length(body) > 200
    and jsonb_path_exists(value, 'strict $.**{100} ? (@.type() == "object" || @.type() == "array")')
  then
    perform punctual.refuse('payload_too_deep',
      'payload is nested deeper than 100 levels. Flatten it, '
      || 'or store it elsewhere and pass a reference.');
  end if;
  select (number #>> '{}')::numeric into changed
  from jsonb_path_query(value, 'strict $.** ? (@.type() == "number")') number
  -- A double keeps 15 digits of any number.
  where length(number::text) > 15 and not punctual.is_kept_by_javascript((number #>> '{}')::numeric)
  limit 1;
  if found then
    perform punctual.refuse('invalid_payload', format(
      'payload holds the number %s, which JavaScript would change. Send it as a string.',
      left(changed::text, 40)));
  end if;
  return body;
end
$function$;

create function punctual.refuse(code text, message text)
 returns void
 language plpgsql
as $function$
begin
  raise exception using errcode = '22023', message = code || ': ' || message;
end
$function$;

create function punctual.refuse_audit_change()
 returns trigger
 language plpgsql
as $function$
begin
  -- An unset setting is null, and empty after a transaction that had set it: nullif refuses both.
  if tg_op = 'DELETE'
    and to_jsonb(old) ->> tg_argv[0] = nullif(current_setting('punctual.erasing_tenant', true), '')
  then
    return old;
  end if;
  raise exception using
    errcode = 'PN002',
    message = format(
      'The audit log is append-only: %s of %s is refused.', lower(tg_op), tg_table_name);
end
$function$;

create function punctual.refuse_option(field text, expected text, received jsonb)
 returns void
 language sql
as $function$
  select punctual.refuse(
    'invalid_option', format('%s must be %s; got %s.', field, expected, left(received::text, 80)))
$function$;

create function punctual.row_security_of(place regclass, out rights text, out sees text, out writes text)
 returns record
 language plpgsql
 stable
as $function$
declare
  tenant constant text :=
    '(select nullif(current_setting(''punctual.tenant'', true), '''')::integer)';
  root regclass :=
    coalesce((select i.inhparent from pg_inherits i where i.inhrelid = place), place);
  of_tenant boolean := exists (
    select from pg_attribute
    where attrelid = place and attname = 'tenant_id' and not attisdropped);
begin
  rights := case when of_tenant then 'select, insert, update, delete' end;
  sees := case when of_tenant then 'tenant_id = ' || tenant end;
  case (select c.relname from pg_class c where c.oid = root)
    when 'tenants' then
      -- Its own row. Locking a row takes the privilege to update some column of it.
      rights := 'select, update (note)';
      sees := 'id = ' || tenant;
    when 'audit_log' then
      rights := 'select, insert';
    when 'audit_unsealed' then
      -- The statement that adds an entry also marks it as unsealed. The sealer runs as the owner.
      rights := 'select, insert';
      sees := 'chain = ' || tenant;
    when 'audit_seals', 'audit_heads' then
      rights := 'select';
      sees := 'chain = ' || tenant;
    when 'sessions' then
      -- Workers without a tenant serve all tenants: a tenant sees that they exist and cannot change
      -- them.
      writes := sees;
      sees := sees || ' or tenant_id is null';
    when 'past_sessions', 'timings', 'day_sums' then
      -- Workers that have left, rules that all tenants share, and how far sums are written.
      rights := 'select';
      sees := 'true';
    when 'rates' then
      -- Hashes and instants, which identify no tenant.
      rights := 'select, insert, update, delete';
      sees := 'true';
    when 'group_members' then
      rights := 'select, insert, update, delete';
      sees := 'exists (select from punctual.groups g where g.id = group_id)';
    when 'job_holds' then
      rights := 'select, insert, update, delete';
      sees := 'exists (select from punctual.jobs j where j.id = job_id)';
    when 'gated' then
      rights := 'select, insert, update, delete';
      sees := 'exists (select from punctual.runs r where r.id = run_id)';
      -- Inserted in the statement that inserts the run, which the policy would not see yet.
      writes := 'true';
    when 'carried_changes' then
      -- A trigger adds a row when a run changes while retention carries it over.
      rights := 'insert';
      sees := 'false';
      writes := 'true';
    else null;
  end case;
  writes := coalesce(writes, sees);
end
$function$;

create function punctual.rows_of_tenant(tenant integer, kind text, most bigint)
 returns bigint
 language plpgsql
as $function$
begin
  perform pg_advisory_xact_lock(
    hashtextextended(concat('punctual.tenants'::regclass::oid, ' ', tenant, ' ', kind), 6015));
  return case kind
    when 'api keys' then
      (select count(*) from (
        select from punctual.api_keys k where k.tenant_id is not distinct from tenant limit most) as found)
    when 'calendars' then
      (select count(*) from (
        select from punctual.calendars c where c.tenant_id = tenant limit most) as found)
    when 'limits' then
      (select count(*) from (
        select from punctual.limits m where m.tenant_id = tenant and m.queue is not null limit most) as found)
    when 'pauses' then
      (select count(*) from (
        select from punctual.pauses p where p.tenant_id = tenant and p.queue is not null limit most) as found)
    when 'secrets' then
      (select count(*) from (
        select from punctual.secrets s where s.tenant_id = tenant limit most) as found)
    when 'sessions' then
      (select count(*) from (
        select from punctual.sessions s where s.tenant_id = tenant limit most) as found)
  end;
end
$function$;

create function punctual.session_condition()
 returns text
 language sql
 immutable
as $function$
  select '(select has_table_privilege(session_user, ''punctual.migrations''::regclass, ''select''))'
$function$;

create function punctual.submit(handler text, payload jsonb default 'null'::jsonb, options jsonb default '{}'::jsonb)
 returns uuid
 language plpgsql
 set search_path to 'pg_catalog', 'pg_temp'
as $function$
declare
  given jsonb := punctual.given_options(options);
  tenant_name text := coalesce(punctual.text_option(given, 'tenant', 128), 'default');
  quotas jsonb;
  suspended boolean;
  used bigint;
begin
  select t.quotas, t.suspended_at is not null or t.erasing_at is not null into quotas, suspended
  from punctual.tenants t
  where t.name = tenant_name;
  if suspended then
    perform punctual.refuse('tenant_suspended', format(
      'The tenant %s is suspended, and accepts no submissions.', to_json(tenant_name)));
  end if;
  if quotas <> '{}' then
    used := octet_length(punctual.payload_text(payload));
    if used > (quotas ->> 'payloadBytes')::bigint then
      perform punctual.refuse('quota_exceeded', format(
        'payload has %s bytes as JSON; the quota payloadBytes of the tenant is %s.',
        used, quotas ->> 'payloadBytes'));
    end if;
    used := punctual.integer_option(given, 'timeout_ms', 1, 2000000000, 300000);
    if used > (quotas ->> 'timeoutMs')::bigint then
      perform punctual.refuse('quota_exceeded', format(
        'timeout_ms is %s; the quota timeoutMs of the tenant is %s.',
        used, quotas ->> 'timeoutMs'));
    end if;
  end if;
  return punctual.accept_submission(handler, payload, options);
end
$function$;

create function punctual.take_key(tenant integer, wanted text, new_run_id uuid)
 returns uuid
 language plpgsql
as $function$
declare
  holder uuid;
begin
  for try in 1 .. 10 loop
    insert into punctual.live_keys (tenant_id, key, run_id) values (tenant, wanted, new_run_id)
    on conflict (tenant_id, key) do nothing;
    if found then
      return new_run_id;
    end if;
    select run_id into holder from punctual.live_keys where tenant_id = tenant and key = wanted;
    if found then
      return holder;
    end if;
  end loop;
  raise exception using errcode = '55P03',
    message = 'key_busy: Other transactions keep taking and releasing the key. Try again.';
end
$function$;

create function punctual.tenant_role()
 returns text
 language sql
 immutable
as $function$
  select split_part('punctual.tenant', '.', 1) || '_tenant'
$function$;

create function punctual.tenant_role_is_strong()
 returns boolean
 language sql
 stable
as $function$
  select exists (
    select from pg_roles r
    where r.rolname = punctual.tenant_role()
      and (r.rolsuper or r.rolbypassrls or r.rolcanlogin or r.rolcreaterole))
$function$;

create function punctual.text_option(options jsonb, field text, length_max integer)
 returns text
 language plpgsql
as $function$
declare
  given jsonb := options -> field;
  value text := given #>> '{}';
begin
  if given is null then
    return null;
  end if;
  if jsonb_typeof(given) <> 'string' or char_length(value) not between 1 and length_max then
    perform punctual.refuse_option(
      field, format('a string of 1 to %s characters', length_max), given);
  end if;
  if value ~ '[\u0001-\u001F\u007F-\u009F]' then
    perform punctual.refuse_option(field, 'free of control characters', given);
  end if;
  return value;
end
$function$;

-- Row security and privileges

alter table punctual.api_keys enable row level security;
create policy tenant_isolation on punctual.api_keys
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.api_keys to punctual_tenant;

alter table punctual.attempts enable row level security;
create policy tenant_isolation on punctual.attempts
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.attempts to punctual_tenant;

alter table punctual.audit_heads enable row level security;
create policy tenant_isolation on punctual.audit_heads
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and chain = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and chain = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant select on punctual.audit_heads to punctual_tenant;

alter table punctual.audit_log enable row level security;
create policy tenant_isolation on punctual.audit_log
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant insert, select on punctual.audit_log to punctual_tenant;

alter table punctual.audit_seals enable row level security;
create policy tenant_isolation on punctual.audit_seals
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and chain = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and chain = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant select on punctual.audit_seals to punctual_tenant;

alter table punctual.audit_unsealed enable row level security;
create policy tenant_isolation on punctual.audit_unsealed
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and chain = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and chain = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant insert, select on punctual.audit_unsealed to punctual_tenant;

alter table punctual.backfills enable row level security;
create policy tenant_isolation on punctual.backfills
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.backfills to punctual_tenant;

alter table punctual.calendars enable row level security;
create policy tenant_isolation on punctual.calendars
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.calendars to punctual_tenant;

alter table punctual.carried_changes enable row level security;
create policy tenant_isolation on punctual.carried_changes
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and false)
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and true);
grant insert on punctual.carried_changes to punctual_tenant;

alter table punctual.checkpoints enable row level security;
create policy tenant_isolation on punctual.checkpoints
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.checkpoints to punctual_tenant;

alter table punctual.counters enable row level security;
create policy tenant_isolation on punctual.counters
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.counters to punctual_tenant;

alter table punctual.cursors enable row level security;
create policy tenant_isolation on punctual.cursors
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.cursors to punctual_tenant;

alter table punctual.day_sums enable row level security;
create policy tenant_isolation on punctual.day_sums
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and true)
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and true);
grant select on punctual.day_sums to punctual_tenant;

alter table punctual.dead_letters enable row level security;
create policy tenant_isolation on punctual.dead_letters
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.dead_letters to punctual_tenant;

alter table punctual.gated enable row level security;
create policy tenant_isolation on punctual.gated
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and (exists ( select from punctual.runs r where r.id = gated.run_id)))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and true);
grant delete, insert, select, update on punctual.gated to punctual_tenant;

alter table punctual.group_members enable row level security;
create policy tenant_isolation on punctual.group_members
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and (exists ( select from punctual.groups g where g.id = group_members.group_id)))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and (exists ( select from punctual.groups g where g.id = group_members.group_id)));
grant delete, insert, select, update on punctual.group_members to punctual_tenant;

alter table punctual.groups enable row level security;
create policy tenant_isolation on punctual.groups
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.groups to punctual_tenant;

alter table punctual.job_days enable row level security;
create policy tenant_isolation on punctual.job_days
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.job_days to punctual_tenant;

alter table punctual.job_days_late enable row level security;
create policy tenant_isolation on punctual.job_days_late
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.job_days_late to punctual_tenant;

alter table punctual.job_holds enable row level security;
create policy tenant_isolation on punctual.job_holds
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and (exists ( select from punctual.jobs j where j.id = job_holds.job_id)))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and (exists ( select from punctual.jobs j where j.id = job_holds.job_id)));
grant delete, insert, select, update on punctual.job_holds to punctual_tenant;

alter table punctual.job_versions enable row level security;
create policy tenant_isolation on punctual.job_versions
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.job_versions to punctual_tenant;

alter table punctual.jobs enable row level security;
create policy tenant_isolation on punctual.jobs
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.jobs to punctual_tenant;

alter table punctual.key_windows enable row level security;
create policy tenant_isolation on punctual.key_windows
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.key_windows to punctual_tenant;

alter table punctual.lane_days enable row level security;
create policy tenant_isolation on punctual.lane_days
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.lane_days to punctual_tenant;

alter table punctual.lanes enable row level security;
create policy tenant_isolation on punctual.lanes
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.lanes to punctual_tenant;

alter table punctual.later enable row level security;
create policy tenant_isolation on punctual.later
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.later to punctual_tenant;

alter table punctual.leases enable row level security;
create policy tenant_isolation on punctual.leases
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.leases to punctual_tenant;

alter table punctual.limits enable row level security;
create policy tenant_isolation on punctual.limits
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.limits to punctual_tenant;

alter table punctual.live_keys enable row level security;
create policy tenant_isolation on punctual.live_keys
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.live_keys to punctual_tenant;

alter table punctual.outcomes enable row level security;
create policy tenant_isolation on punctual.outcomes
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.outcomes to punctual_tenant;

alter table punctual.parked enable row level security;
create policy tenant_isolation on punctual.parked
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.parked to punctual_tenant;

alter table punctual.past_sessions enable row level security;
create policy tenant_isolation on punctual.past_sessions
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and true)
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and true);
grant select on punctual.past_sessions to punctual_tenant;

alter table punctual.pauses enable row level security;
create policy tenant_isolation on punctual.pauses
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.pauses to punctual_tenant;

alter table punctual.queue enable row level security;
create policy tenant_isolation on punctual.queue
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.queue to punctual_tenant;

alter table punctual.rates enable row level security;
create policy tenant_isolation on punctual.rates
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and true)
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and true);
grant delete, insert, select, update on punctual.rates to punctual_tenant;

alter table punctual.requests enable row level security;
create policy tenant_isolation on punctual.requests
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.requests to punctual_tenant;

alter table punctual.run_logs enable row level security;
create policy tenant_isolation on punctual.run_logs
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.run_logs to punctual_tenant;

alter table punctual.runs enable row level security;
create policy tenant_isolation on punctual.runs
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.runs to punctual_tenant;

alter table punctual.secrets enable row level security;
create policy tenant_isolation on punctual.secrets
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.secrets to punctual_tenant;

alter table punctual.sessions enable row level security;
create policy tenant_isolation on punctual.sessions
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and (tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")) or tenant_id is null))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.sessions to punctual_tenant;

alter table punctual.slot_skips enable row level security;
create policy tenant_isolation on punctual.slot_skips
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.slot_skips to punctual_tenant;

alter table punctual.slots enable row level security;
create policy tenant_isolation on punctual.slots
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.slots to punctual_tenant;

alter table punctual.stale_settles enable row level security;
create policy tenant_isolation on punctual.stale_settles
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.stale_settles to punctual_tenant;

alter table punctual.tenant_submissions enable row level security;
create policy tenant_isolation on punctual.tenant_submissions
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.tenant_submissions to punctual_tenant;

alter table punctual.tenants enable row level security;
create policy tenant_isolation on punctual.tenants
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant select, update (note) on punctual.tenants to punctual_tenant;

alter table punctual.timings enable row level security;
create policy tenant_isolation on punctual.timings
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and true)
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and true);
grant select on punctual.timings to punctual_tenant;

alter table punctual.triggers enable row level security;
create policy tenant_isolation on punctual.triggers
  using (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")))
  with check (( select current_user <> 'punctual_tenant'::name) or ( select has_table_privilege(session_user, 'punctual.migrations'::regclass::oid, 'select'::text) as has_table_privilege) and tenant_id = (( select nullif(current_setting('punctual.tenant'::text, true), ''::text)::integer as "nullif")));
grant delete, insert, select, update on punctual.triggers to punctual_tenant;
