-- Deletes groups that have been done for longer than the retention, with the lists of their
-- members.
--
-- Parameters: $1 days
-- Returns: one row: the number of groups. Limited: the next sweep deletes the rest.
-- Types: rows!
-- Locks: the old rows. Index: groups_done, primary key of group_members.
with old as (
  delete from punctual.groups
  where id in (
    select g.id from punctual.groups g
    where g.done_at < (select clock_timestamp() - $1::integer * interval '1 day')
    order by g.done_at
    limit 1000
  )
  returning id
),
members as (delete from punctual.group_members where group_id in (select id from old))
select count(*) as rows from old
