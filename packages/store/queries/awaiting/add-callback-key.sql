-- Creates a key for the tokens of callbacks, unless there is one and it is young enough.
--
-- Parameters: $1 secret in hexadecimal digits, $2 how many seconds the newest key is used, null
--   for ever
-- Returns: id of the new key
-- Locks: the table, so that processes that start together make one key. Index: none.
insert into punctual.callback_keys (secret)
select decode($1::text, 'hex')
where not exists (
  select from punctual.callback_keys
  where $2::integer is null or created_at > clock_timestamp() - $2::integer * interval '1 second')
returning id
