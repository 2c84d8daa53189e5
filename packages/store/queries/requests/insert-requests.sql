-- Stores the answers to requests.
--
-- Parameters: $1 tenant, $2 keys text[], $3 fingerprints in hexadecimal text[], $4 statuses
--   smallint[], $5 bodies text[]
-- Returns: nothing
-- Locks: the new rows. Index: primary key of requests.
insert into punctual.requests (tenant_id, key, fingerprint, status, body)
select $1::integer, key, decode(fingerprint, 'hex'), status, body
from unnest($2::text[], $3::text[], $4::smallint[], $5::text[]) as i (key, fingerprint, status, body)
