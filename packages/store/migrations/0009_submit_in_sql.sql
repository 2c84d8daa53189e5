-- punctual.submit(handler, payload, options): submits a run from SQL, such as from a trigger or
-- psql, in the transaction of the caller. It writes the same rows as the library.

-- A UUIDv7 of a millisecond and a sequence of 20 bits, which orders the ids of one millisecond.
create function punctual.make_run_id(ms bigint, sequence bigint) returns uuid
language sql as $$
  select (
    lpad(to_hex(ms), 12, '0')
    || '7' || lpad(to_hex(sequence >> 8), 3, '0')
    || to_hex(32768 | ((sequence & 255) << 6) | floor(random() * 64)::bigint)
    || right(gen_random_uuid()::text, 12)
  )::uuid
$$;

-- Sends a hint, which wakes the nodes of this installation when the transaction commits.
create function punctual.hint(message text) returns void
language sql as $$
  -- Migrating replaces `punctual` before a dot by the name of the schema, here too.
  select pg_notify(rtrim('punctual.', '.') || '_due', message)
$$;

-- The lane of a queue, a handler and a priority. A missing lane is inserted; other sessions see it
-- when the transaction commits.
create function punctual.lane_for(
  tenant integer, queue_name text, handler_name text, level smallint
) returns integer
language plpgsql as $$
declare
  lane integer;
begin
  -- Each try takes the next number of the sequence, so that numbers that are in use, where the
  -- sequence is behind the table, are skipped.
  for try in 1 .. 10000 loop
    select id into lane from punctual.lanes
    where tenant_id = tenant and queue = queue_name and handler = handler_name and priority = level;
    if found then
      return lane;
    end if;
    exit when (select count(*) from punctual.lanes where tenant_id = tenant) >= 10000;
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
    'lanes_exhausted: The tenant has 10000 combinations of queue, handler and priority, which is '
    || 'the limit. Use fewer queues, and put variable parts into labels or a key.';
end
$$;

-- The run that holds the key from now on: the new run, or the live run that had it already.
create function punctual.take_key(tenant integer, wanted text, new_run_id uuid) returns uuid
language plpgsql as $$
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
$$;

-- Inserts the run and returns its id, or the id of the live run that has the key. Quotas are
-- checked by punctual.submit, which calls this.
create function punctual.accept_submission(
  handler text, payload jsonb default 'null', options jsonb default '{}'
) returns uuid
language plpgsql security invoker
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set extra_float_digits = 1
as $$
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
$$;

-- Submits a run. Checks all quotas of the tenant but submissionsPerSecond: counting those in the
-- caller's transaction would lock the counter against all other nodes until it ends.
create function punctual.submit(
  handler text, payload jsonb default 'null', options jsonb default '{}'
) returns uuid
language plpgsql security invoker
set search_path = pg_catalog, pg_temp
as $$
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
$$;
