-- Takes live keys for new runs. It runs before the runs are inserted, in the same transaction,
-- under a lock_timeout: another open transaction may hold a key.
--
-- Parameters: $1 tenant, $2 keys text[] (sorted, unique), $3 run ids uuid[]
-- Returns: key, run_id of the keys taken; a missing key is held by a live run.
-- Locks: the new rows, in the order given. Index: primary key of live_keys.
insert into punctual.live_keys (tenant_id, key, run_id)
select $1::integer, i.key, i.run_id
from unnest($2::text[], $3::uuid[]) with ordinality as i (key, run_id, n)
order by i.n
on conflict (tenant_id, key) do nothing
returning key, run_id
