-- The keys of callback tokens, newest first.
--
-- Parameters: none
-- Returns: id, secret in hexadecimal digits
-- Types: secret!
-- Locks: none. Index: none; the table is small.
select id, encode(secret, 'hex') as secret
from punctual.callback_keys
order by id desc
limit 10
