-- Reads and checks the options of punctual.submit (0009), with the defaults, limits and error codes
-- of the library. An invalid option raises SQLSTATE 22023 with a message that begins with the error
-- code.
--
-- Users call punctual.submit only. It runs with their privileges and a fixed search_path; the
-- functions below inherit both from it.

create function punctual.refuse(code text, message text) returns void
language plpgsql as $$
begin
  raise exception using errcode = '22023', message = code || ': ' || message;
end
$$;

create function punctual.refuse_option(field text, expected text, received jsonb) returns void
language sql as $$
  select punctual.refuse(
    'invalid_option', format('%s must be %s; got %s.', field, expected, left(received::text, 80)))
$$;

-- A string option. Null when it was not given.
create function punctual.text_option(options jsonb, field text, length_max integer) returns text
language plpgsql as $$
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
$$;

-- An integer option, or the default when it was not given.
create function punctual.integer_option(
  options jsonb, field text, least_value bigint, most_value bigint, otherwise bigint
) returns bigint
language plpgsql as $$
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
$$;

-- An ISO 8601 instant in milliseconds since 1970. Null when the string is not one. Digits after the
-- milliseconds are cut off, as in the library.
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

-- The end of an interval such as "5 minutes", in milliseconds since 1970. Null when the string is
-- not an interval, or is negative or too long.
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

-- When the run is due, in milliseconds since 1970. Null means now.
create function punctual.due_option(options jsonb, now_at timestamptz) returns bigint
language plpgsql as $$
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
$$;

-- The given options without those that are null, which count as not given.
create function punctual.given_options(options jsonb) returns jsonb
language plpgsql as $$
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
$$;

-- Whether JavaScript reads the number and writes it back as the same decimal number.
create function punctual.is_kept_by_javascript(n numeric) returns boolean
language sql as $$
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
$$;

-- The payload as it is stored. Refuses a payload that is too large or nested too deeply, or holds a
-- number that a JavaScript worker would read as another number.
create function punctual.payload_text(payload jsonb) returns text
language plpgsql as $$
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
$$;
