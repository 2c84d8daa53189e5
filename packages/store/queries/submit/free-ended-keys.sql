-- Frees keys that were taken just now for runs which are there already: an earlier try accepted them although its
-- answer was lost, and they have ended since. Otherwise nobody would ever free them.
--
-- Parameters: $1 run ids uuid[] whose keys this transaction has taken
-- Returns: nothing
-- Locks: the rows. Index: live_keys by run_id, primary key of runs.
delete from punctual.live_keys k
where k.run_id = any ($1::uuid[]) and exists (select from punctual.runs r where r.id = k.run_id)
