-- Jobs that run once are told from others where they are counted and where they are forgotten: a tenant's quota does not
-- count those that have had their time, and the janitor deletes them when none of their runs is kept any more.
--
-- No index holds a recurring job beside its cursor: a planner's visit costs what it did.
alter table punctual.jobs add column once boolean not null default false;
alter table punctual.cursors add column once boolean not null default false;

update punctual.jobs j set once = true
from punctual.timings t
where t.id = j.timing and t.spec::jsonb -> 'when' ->> 'kind' = 'once';
update punctual.cursors c set once = true
from punctual.timings t
where t.id = c.timing and t.spec::jsonb -> 'when' ->> 'kind' = 'once';

create index jobs_again on punctual.jobs (tenant_id) where not once;
create index cursors_once_ahead on punctual.cursors (tenant_id) where once and (next_at is not null or paused);
create index cursors_once_over on punctual.cursors (cursor_at, job_id) where once and next_at is null and not paused;
