-- Numbers timing rules. Rules that exist keep their numbers.
--
-- Parameters: $1 specs text[]
-- Returns: spec, id
-- Types: spec!, id!
-- Locks: the new rows. Index: timings_spec.
with made as (
  insert into punctual.timings (spec)
  select distinct i.spec
  from unnest($1::text[]) as i (spec)
  where not exists (select from punctual.timings t where md5(t.spec) = md5(i.spec))
  order by i.spec
  on conflict do nothing
  returning spec, id
)
select spec, id from made
union all
select t.spec, t.id
from unnest($1::text[]) as i (spec)
cross join lateral (select t.spec, t.id from punctual.timings t where md5(t.spec) = md5(i.spec) limit 1) t
