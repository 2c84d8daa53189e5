-- Whether any entry waits to be sealed.
--
-- Parameters: none
-- Returns: true when one does
-- Types: waiting!
-- Locks: none. Index: none; the table is empty most of the time.
select exists (select 1 from punctual.audit_unsealed) as waiting
