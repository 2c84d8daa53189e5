-- Serializes submissions by key: until this transaction ends, no other submission that has a
-- window, replaces or debounces can read these keys.
--
-- Parameters: $1 tenant, $2 keys text[] (sorted, unique)
-- Returns: key, the run that submissions within its window return (null without a window, or after
--   its end), the run and the submission that were recorded last
-- Locks: key_windows, in the order given. Index: its primary key.
insert into punctual.key_windows as w (used_at, tenant_id, key)
select clock_timestamp(), $1::integer, i.key
from unnest($2::text[]) with ordinality as i (key, n)
order by i.n
on conflict (tenant_id, key) do update set used_at = clock_timestamp()
returning w.key, case when w.until_at > clock_timestamp() then w.run_id end as windowed, w.run_id, w.asked_by
