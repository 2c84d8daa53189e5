-- Schedule rules that nothing refers to are deleted: a tenant that creates, changes and deletes jobs
-- would otherwise leave a row for each rule that it ever had. `unused_at` says since when; the
-- indexes show in one lookup whether a job, or an earlier version of a job, refers to a rule.

alter table punctual.timings add column unused_at timestamptz;
create index jobs_timing on punctual.jobs (timing);
create index job_versions_timing on punctual.job_versions (timing);
