-- Submitting in SQL, for triggers and psql: punctual.submit(handler, payload, options). It writes what the library
-- writes (queries/submit/insert-runs.sql), with its defaults, limits and refusals (core/src/submit/submission.ts,
-- core/src/errors/limits.ts). A refusal has the SQLSTATE 22023, and its message begins with the code.
--
-- Only punctual.submit is for callers. It runs with their rights, and with a search_path of its own; what it calls
-- has both from it.

create function punctual.refuse(code text, message text) returns void
language plpgsql as $$
begin
  raise exception using errcode = '22023', message = code || ': ' || message;
end
$$;

create function punctual.refuse_option(field text, expected text, came jsonb) returns void
language sql as $$
  select punctual.refuse(
    'invalid_option', format('%s must be %s, but %s came.', field, expected, left(came::text, 80)))
$$;

-- A text among the options; null when it is not there.
create function punctual.text_option(options jsonb, field text, length_max integer) returns text
language plpgsql as $$
declare
  came jsonb := options -> field;
  value text := came #>> '{}';
begin
  if came is null then
    return null;
  end if;
  if jsonb_typeof(came) <> 'string' or char_length(value) not between 1 and length_max then
    perform punctual.refuse_option(field, format('a text of 1 to %s characters', length_max), came);
  end if;
  if value ~ '[\u0001-\u001F\u007F-\u009F]' then
    perform punctual.refuse_option(field, 'free of control characters', came);
  end if;
  return value;
end
$$;

-- A whole number among the options, or what stands for it when it is not there.
create function punctual.integer_option(
  options jsonb, field text, least_value bigint, most_value bigint, otherwise bigint
) returns bigint
language plpgsql as $$
declare
  came jsonb := options -> field;
  value numeric;
begin
  if came is null then
    return otherwise;
  end if;
  if jsonb_typeof(came) = 'number' then
    value := (came #>> '{}')::numeric;
  end if;
  if value = trunc(value) and value between least_value and most_value then
    return value;
  end if;
  perform punctual.refuse_option(
    field, format('a whole number from %s to %s', least_value, most_value), came);
end
$$;

create function punctual.labels_option(options jsonb) returns jsonb
language plpgsql as $$
declare
  labels jsonb := options -> 'labels';
  label record;
begin
  if labels is null or labels = '{}' then
    return null;
  end if;
  if jsonb_typeof(labels) <> 'object' then
    perform punctual.refuse_option('labels', 'an object of texts', labels);
  end if;
  if (select count(*) from jsonb_object_keys(labels)) > 16 then
    perform punctual.refuse_option('labels', 'at most 16 labels', labels);
  end if;
  for label in select 'labels.' || key as field, key, value from jsonb_each(labels) loop
    perform punctual.text_option(jsonb_build_object('labels key', label.key), 'labels key', 64);
    if label.value <> '""' then
      perform punctual.text_option(jsonb_build_object(label.field, label.value), label.field, 256);
    end if;
  end loop;
  return labels;
end
$$;

-- An ISO 8601 text as milliseconds since 1970; null for what is none. Digits beyond the milliseconds are cut off.
create function punctual.instant_ms(value text) returns bigint
language plpgsql as $$
begin
  if value !~ '^\d{4}-\d\d-\d\d(T\d\d:[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$' then
    return null;
  end if;
  return extract(epoch from regexp_replace(value, '(\.\d{3})\d+', '\1')::timestamptz) * 1000;
exception when datetime_field_overflow or invalid_datetime_format then
  return null;
end
$$;

-- An interval such as "5 minutes" from a moment on, in milliseconds since 1970; null for what is none.
create function punctual.after_ms(value text, from_at timestamptz) returns bigint
language plpgsql as $$
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
$$;

-- When the run is due, in milliseconds since 1970; null for now.
create function punctual.due_option(options jsonb, now_at timestamptz) returns bigint
language plpgsql as $$
declare
  field text;
  came jsonb;
  kind text;
  due_ms bigint;
  number numeric;
begin
  select key, value, jsonb_typeof(value) into field, came, kind
  from jsonb_each(options) where key in ('run_at', 'delay', 'delay_ms');
  if not found then
    return null;
  end if;
  if (select count(*) from jsonb_object_keys(options) key where key in ('run_at', 'delay', 'delay_ms')) > 1 then
    perform punctual.refuse('invalid_option', 'run_at, delay and delay_ms exclude each other; give one.');
  end if;
  number := case kind when 'number' then (came #>> '{}')::numeric end;
  if field = 'delay_ms' then
    if number is null or number not between 0 and 3162240000000 then
      perform punctual.refuse_option(field, 'a number from 0 to 3162240000000', came);
    end if;
    return round(extract(epoch from now_at) * 1000 + number);
  elsif field = 'delay' then
    due_ms := case kind when 'string' then punctual.after_ms(came #>> '{}', now_at) end;
    if due_ms is null then
      perform punctual.refuse_option(field, 'an interval of up to 36600 days, such as "5 minutes"', came);
    end if;
    return due_ms;
  end if;
  due_ms := case
    when kind = 'string' then punctual.instant_ms(came #>> '{}')
    when number between -1e15 and 1e15 then trunc(number)
  end;
  if due_ms is null then
    perform punctual.refuse_option(
      field, 'an ISO 8601 text with Z or an offset, or milliseconds since 1970', came);
  elsif due_ms not between 0 and 253402300799999 then
    perform punctual.refuse_option(field, 'between the years 1970 and 9999', came);
  end if;
  return due_ms;
end
$$;

-- The options that were given; what is null counts as left out.
create function punctual.given_options(options jsonb) returns jsonb
language plpgsql as $$
declare
  given jsonb := jsonb_strip_nulls(coalesce(options, '{}'));
  known text[] := array[
    'queue', 'priority', 'run_at', 'delay', 'delay_ms', 'max_attempts', 'timeout_ms', 'key', 'labels', 'tenant',
    'created_by', 'trace'];
  unknown text;
begin
  if jsonb_typeof(given) <> 'object' then
    perform punctual.refuse_option('options', 'an object', given);
  end if;
  select key into unknown from jsonb_object_keys(given) key where key <> all (known) limit 1;
  if found then
    perform punctual.refuse('invalid_option', format(
      '%s is not an option of submit. Known: %s.', to_json(left(unknown, 80)), array_to_string(known, ', ')));
  end if;
  return given;
end
$$;

-- Whether a JavaScript number is written back as the same decimal number.
create function punctual.is_kept_by_javascript(n numeric) returns boolean
language sql as $$
  select case
    when n = 0 then true
    when abs(n) not between 5e-324 and 1.7976931348623157e308 then false
    -- Halfway between two doubles it is written with fewer digits than PostgreSQL needs.
    else double = n
      or length(trim('0' from translate(n::text, '-.', ''))) < length(trim('0' from translate(double::text, '-.', '')))
  end
  from (
    select case when abs(n) between 5e-324 and 1.7976931348623157e308 then n::float8::text::numeric end as double
  ) d
$$;

-- The payload as it is stored, within the limits of size and depth, and without numbers that a reader of JSON in
-- JavaScript would change.
create function punctual.payload_text(payload jsonb) returns text
language plpgsql as $$
declare
  value jsonb := coalesce(payload, 'null');
  body text := value::text;
  changed numeric;
begin
  if octet_length(body) > 1048576 then
    perform punctual.refuse('payload_too_large', format(
      'payload has %s bytes as JSON; the limit is 1048576. Store it elsewhere and pass a reference.', octet_length(body)));
  end if;
  if octet_length(body) > 200
    and jsonb_path_exists(value, 'strict $.**{100} ? (@.type() == "object" || @.type() == "array")')
  then
    perform punctual.refuse('payload_too_deep',
      'payload is nested deeper than 100 levels. Flatten it, or store it elsewhere and pass a reference.');
  end if;
  select (number #>> '{}')::numeric into changed
  from jsonb_path_query(value, 'strict $.** ? (@.type() == "number")') number
  -- Fifteen digits are always kept.
  where length(number::text) > 15 and not punctual.is_kept_by_javascript((number #>> '{}')::numeric)
  limit 1;
  if found then
    perform punctual.refuse('invalid_payload', format(
      'payload holds the number %s, which a JavaScript number would change. Send it as a string.',
      left(changed::text, 40)));
  end if;
  return body;
end
$$;

-- A UUIDv7 of the millisecond and 20 bits that order the ids of one millisecond (core/src/run/run-id.ts).
create function punctual.make_run_id(ms bigint, sequence bigint) returns uuid
language sql as $$
  select (
    lpad(to_hex(ms), 12, '0')
    || '7' || lpad(to_hex(sequence >> 8), 3, '0')
    || to_hex(32768 | ((sequence & 255) << 6) | floor(random() * 64)::bigint)
    || right(gen_random_uuid()::text, 12)
  )::uuid
$$;

-- Where nodes tell each other that something became due.
create function punctual.hint(message text) returns void
language sql as $$
  -- Installations have schemas of other names, which stand for `punctual` before a dot.
  select pg_notify(rtrim('punctual.', '.') || '_due', message)
$$;

-- The lane of a queue, a handler and a priority; made here if need be, and then there for others when the transaction
-- commits.
create function punctual.lane_for(tenant integer, queue_name text, handler_name text, level smallint) returns integer
language plpgsql as $$
declare
  lane integer;
begin
  -- Each try takes the next number: those that are taken, where the sequence is behind, are passed.
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
    'lanes_exhausted: The tenant has 10000 combinations of queue, handler and priority, which is the limit. '
    || 'Use fewer queues; put what varies into labels or a key.';
end
$$;

-- The run that holds the key from now on: the new one, or one that is live.
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
    message = 'key_busy: The key changes hands faster than it can be read. Try again.';
end
$$;

-- Submits a run in the transaction of the caller, and returns its id; with a key that a live run has, that one's.
create function punctual.submit(handler text, payload jsonb default 'null', options jsonb default '{}') returns uuid
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
    perform punctual.refuse_option('tenant', 'the name of a tenant', given -> 'tenant');
  end if;
  run_lane := punctual.lane_for(
    tenant, coalesce(punctual.text_option(given, 'queue', 128), 'default'), name,
    punctual.integer_option(given, 'priority', 0, 10, 5)::smallint);
  -- Beyond the days that surely have partitions it takes the time of its creation.
  run_id := punctual.make_run_id(
    case when due_ms > now_ms and due_ms - now_ms <= 1123200000 then due_ms else now_ms end, sequence);
  if run_key is not null then
    holder := punctual.take_key(tenant, run_key, run_id);
    if holder <> run_id then
      return holder;
    end if;
  end if;
  -- Lanes and keys may have been waited for, and a position is never in the past.
  now_at := clock_timestamp();
  now_ms := floor(extract(epoch from now_at) * 1000);
  insert into punctual.runs (
    id, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload, key, labels, created_by, trace)
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
