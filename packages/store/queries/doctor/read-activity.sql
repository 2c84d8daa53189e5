-- Connections in use, and what holds back vacuum the most. An ordinary role cannot see when
-- transactions of other roles began, but it can see how old their snapshots are.
--
-- Parameters: none
-- Returns: connections, role_limit, database_limit (-1 = none), oldest_ms, oldest_pid,
--   oldest_application, oldest_state, horizon_age (transactions), horizon_holder
-- Types: connections!, role_limit!, database_limit!
-- Locks: none. Index: none.
with clients as materialized (
  select pid, application_name, state, xact_start, backend_xid, backend_xmin
  from pg_stat_activity
  where backend_type = 'client backend' and pid <> pg_backend_pid()
),
oldest as (
  select pid, application_name, state, clock_timestamp() - xact_start as age
  from clients
  where xact_start is not null
  order by xact_start
  limit 1
),
horizon as (
  select age, holder
  from (
    select greatest(age(backend_xmin), age(backend_xid)) as age, 'the session ' || pid as holder from clients
    union all
    select greatest(age(xmin), age(catalog_xmin)), 'the replication slot ' || slot_name from pg_replication_slots
    union all
    select age(transaction), 'the prepared transaction ' || gid from pg_prepared_xacts
  ) holders
  where age is not null
  order by age desc
  limit 1
)
select
  (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
  (select rolconnlimit from pg_roles where rolname = current_user) as role_limit,
  (select datconnlimit from pg_database where datname = current_database()) as database_limit,
  (select floor(extract(epoch from age) * 1000)::bigint from oldest) as oldest_ms,
  (select pid from oldest) as oldest_pid,
  (select application_name from oldest) as oldest_application,
  (select state from oldest) as oldest_state,
  (select age from horizon) as horizon_age,
  (select holder from horizon) as horizon_holder
