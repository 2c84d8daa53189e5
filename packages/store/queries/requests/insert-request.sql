-- Keeps what a request was answered.
--
-- Parameters: $1 tenant, $2 key, $3 fingerprint in hexadecimal, $4 status, $5 body
-- Returns: nothing
-- Locks: the row it makes. Index: primary key of requests.
insert into punctual.requests (tenant_id, key, fingerprint, status, body)
values ($1::integer, $2::text, decode($3::text, 'hex'), $4::smallint, $5::text)
