-- The stored answers to requests.
--
-- Parameters: $1 tenant, $2 keys text[]
-- Returns: the key, the fingerprint in hexadecimal, the status and the body
-- Types: fingerprint!
-- Locks: none. Index: primary key of requests.
select key, encode(fingerprint, 'hex') as fingerprint, status, body
from punctual.requests
where tenant_id = $1::integer and key = any ($2::text[])
