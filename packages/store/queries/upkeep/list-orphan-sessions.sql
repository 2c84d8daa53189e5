-- Sessions that hold leases and do not exist: only a fault of ours or a lost commit makes them.
--
-- Parameters: none
-- Returns: session_id
-- Locks: none. Index: none; asked once a minute.
select distinct l.session_id::text as session_id
from punctual.leases l
where not exists (select from punctual.sessions s where s.id = l.session_id)
limit 1000
