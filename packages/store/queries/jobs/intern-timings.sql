-- Numbers timing rules. Rules that exist keep their numbers. A rule that is marked as unused is
-- unmarked, so that the sweep keeps it for at least as long as a process caches its number.
--
-- Parameters: $1 specs text[]
-- Returns: spec, id
-- Types: spec!, id!
-- Locks: the new rows and the unmarked ones. Index: timings_spec, primary key.
with known as materialized (
  select t.spec, t.id, t.unused_at
  from unnest($1::text[]) as i (spec)
  cross join lateral (
    select t.spec, t.id, t.unused_at from punctual.timings t where md5(t.spec) = md5(i.spec) limit 1
  ) t
),
made as (
  insert into punctual.timings (spec)
  select distinct i.spec
  from unnest($1::text[]) as i (spec)
  where not exists (select from known k where k.spec = i.spec)
  order by i.spec
  on conflict do nothing
  returning spec, id
),
-- A rule that the sweep deletes meanwhile is not returned: the caller repeats the call.
unmarked as (
  update punctual.timings
  set unused_at = null
  where id in (select id from known where unused_at is not null)
  returning spec, id
)
select spec, id from made
union all
select spec, id from known where unused_at is null
union all
select spec, id from unmarked
