-- breaking: binaries before it name the old key in what they write.
--
-- A worker settles over two connections at once. Rows that both bump would make the second wait until the first has
-- committed, which is most of what a second one is for: each connection has rows of its own, and the janitor folds them
-- into one under connection 0.
alter table punctual.counters add column connection integer not null default pg_backend_pid();
alter table punctual.counters drop constraint counters_pkey;
alter table punctual.counters add primary key (session_id, bucket_at, lane, state, connection);
