-- Adds runs to a group that this transaction has locked. Those that are members already stay what they are: a run that has
-- a key may be given twice, and so may any after an answer that was lost.
--
-- Parameters: $1 group, $2 run ids uuid[]
-- Returns: total, the number of members that it has now
-- Locks: the group, which the transaction holds. Index: primary key of groups, group_members_run.
with given as materialized (
  select i.run_id, min(i.n) as n
  from unnest($2::uuid[]) with ordinality as i (run_id, n)
  -- Compared as texts, so that no statistics can make the planner walk the whole group for each of them.
  where (select 1 from punctual.group_members m
    where m.run_id = i.run_id and m.group_id::text = $1::uuid::text) is null
  group by i.run_id
),
added as (
  insert into punctual.group_members (group_id, run_id, place)
  select g.id, i.run_id, g.total + row_number() over (order by i.n) - 1
  from given i
  cross join (select id, total from punctual.groups where id = $1::uuid) g
)
update punctual.groups
set total = total + (select count(*) from given)
where id = $1::uuid
returning total
