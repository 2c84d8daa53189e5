-- Session ids that hold leases but do not exist: only a bug or a lost commit can cause this.
--
-- Parameters: none
-- Returns: session_id
-- Types: session_id!
-- Locks: none. Index: none; runs once a minute.
select distinct l.session_id::text as session_id
from punctual.leases l
where l.session_id <> 0 and not exists (select from punctual.sessions s where s.id = l.session_id)
limit 1000
