-- The witness: triggers that record what happened, because one snapshot cannot show invariants over
-- time. It only watches. `check-invariants.sql` checks its records.
--
-- Parameters: none. Run once, by the owner of the tables, on a migrated schema.
-- Tables: leases (every lease that was ever granted, its start marks, and which transaction ended
--   it), ends (every accepted outcome of an attempt), fenced (sessions that no longer exist),
--   rewrites (history that was changed).
-- Steps number the records in the order of the events: each writer holds the lock of the row
-- concerned.

create schema witness;
create sequence witness.step;

create table witness.leases (
  step bigint primary key default nextval('witness.step'),
  run_id uuid not null,
  fence bigint not null,
  session_id bigint not null,
  attempt smallint not null,
  marks integer not null default 0,
  ended_in xid8
);
create index leases_run on witness.leases (run_id, fence);

create table witness.ends (
  step bigint primary key default nextval('witness.step'),
  run_id uuid not null,
  fence bigint,
  session_id bigint,
  final boolean not null,
  outcome smallint,
  ended_in xid8 not null default pg_current_xact_id()
);
create index ends_run on witness.ends (run_id, fence);

create table witness.fenced (
  step bigint primary key default nextval('witness.step'),
  session_id bigint not null
);

create table witness.rewrites (
  step bigint primary key default nextval('witness.step'),
  what text not null,
  subject text not null,
  detail text not null
);

create function witness.see_lease() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into witness.leases (run_id, fence, session_id, attempt)
    values (new.run_id, new.fence, new.session_id, new.attempt);
  elsif tg_op = 'UPDATE' then
    if new.started_at is distinct from old.started_at then
      update witness.leases set marks = marks + 1
      where run_id = new.run_id and fence = new.fence and ended_in is null;
    end if;
  else
    update witness.leases set ended_in = pg_current_xact_id()
    where run_id = old.run_id and fence = old.fence and ended_in is null;
  end if;
  return null;
end
$$;

create function witness.see_outcome() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into witness.ends (run_id, fence, session_id, final, outcome)
    values (new.run_id, new.fence, new.session_id, true, new.attempt_outcome);
  -- A user may resolve an unknown outcome, and retention deletes old rows.
  elsif not (old.state = 5 or (tg_op = 'DELETE' and old.finished_at < now() - interval '1 day')) then
    insert into witness.rewrites (what, subject, detail)
    values ('outcome', old.run_id::text, format('the outcome had state %s and was hit by %s', old.state, tg_op));
  end if;
  return null;
end
$$;

create function witness.see_attempt() returns trigger language plpgsql as $$
begin
  insert into witness.ends (run_id, fence, session_id, final, outcome)
  values (new.run_id, new.fence, new.session_id, false, new.outcome);
  return null;
end
$$;

create function witness.see_session_go() returns trigger language plpgsql as $$
begin
  insert into witness.fenced (session_id) values (old.id);
  return null;
end
$$;

create function witness.see_slot_change() returns trigger language plpgsql as $$
begin
  -- Future slots may be withdrawn, by a writer that read the clock after its transaction began.
  if old.slot_at <= now() then
    insert into witness.rewrites (what, subject, detail)
    values ('slot', old.job_id::text, format('the decision of %s was hit by %s', old.slot_at, tg_op));
  end if;
  return null;
end
$$;

create function witness.see_cursor() returns trigger language plpgsql as $$
begin
  if new.cursor_at < least(old.cursor_at, date_trunc('milliseconds', now())) then
    insert into witness.rewrites (what, subject, detail)
    values ('cursor', old.job_id::text, format('it went back from %s to %s', old.cursor_at, new.cursor_at));
  end if;
  return null;
end
$$;

create trigger witness after insert or update or delete on punctual.leases
  for each row execute function witness.see_lease();
create trigger witness after insert or update or delete on punctual.outcomes
  for each row execute function witness.see_outcome();
create trigger witness after insert on punctual.attempts
  for each row execute function witness.see_attempt();
create trigger witness after delete on punctual.sessions
  for each row execute function witness.see_session_go();
create trigger witness after update or delete on punctual.slots
  for each row execute function witness.see_slot_change();
create trigger witness after update on punctual.cursors
  for each row execute function witness.see_cursor();
