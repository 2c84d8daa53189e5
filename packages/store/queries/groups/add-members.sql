-- Adds runs to a group that this transaction has locked. Existing members stay unchanged: a run
-- with a key may be added twice, and so may any run after a lost reply.
--
-- Parameters: $1 group, $2 run ids uuid[]
-- Returns: total, the number of members including the added ones
-- Locks: the group, which the transaction holds. Index: primary key of groups, group_members_run.
with given as materialized (
  select i.run_id, min(i.n) as n
  from unnest($2::uuid[]) with ordinality as i (run_id, n)
  -- Compares ids as text, so bad statistics cannot make PostgreSQL scan the group for each run.
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
