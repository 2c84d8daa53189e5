-- Moves keys from runs that have started to new runs. The started runs continue without a key.
--
-- Parameters: $1 tenant, $2 keys text[], $3 runs that hold them uuid[], $4 new runs uuid[]
-- Returns: key, run_id of the moved keys; a missing key changed hands meanwhile.
-- Locks: live_keys (waits while the holder is being ended), then the runs. Index: primary keys; the
--   ids prune runs to their partitions.
with given as (
  update punctual.live_keys k
  set run_id = i.run_id, created_at = clock_timestamp()
  from unnest($2::text[], $3::uuid[], $4::uuid[]) as i (key, holder, run_id)
  where k.tenant_id = $1::integer and k.key = i.key and k.run_id = i.holder
  returning k.key, k.run_id, i.holder
),
parted as (
  update punctual.runs r
  set key = null
  from given g
  where r.id = g.holder and r.id = any ($3::uuid[])
)
select key, run_id from given
