-- What a request was answered.
--
-- Parameters: $1 tenant, $2 key
-- Returns: the fingerprint in hexadecimal, the status and the body; no row when there is none
-- Locks: none. Index: primary key of requests.
select encode(fingerprint, 'hex'), status, body
from punctual.requests
where tenant_id = $1::integer and key = $2::text
