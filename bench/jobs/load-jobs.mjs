/**
 * Registers millions of jobs in a minute or two: a shortcut past the product's bulk path (which the
 * scenario `register` measures). The product computes the values: its compiler the rules of each
 * schedule, its next-fire engine the first slot. The rows are those of `upsertMany`, written by two
 * statements for all jobs, with the indexes built afterwards.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { jobPayload } from './payload.mjs'

const CORE = (room) => new URL(`../../packages/core/dist/${room}/index.js`, import.meta.url).href
const DEFAULTS = { timezone: 'UTC', jitterMs: 0 }
const TABLES = ['jobs', 'cursors']

/**
 * @param {string} databaseUrl
 * @param {{
 *   schedules: import('./schedules.mjs').Schedule[], count: number, startMs: number, tenant?: string,
 *   handler?: string, payload?: object, indexesLater?: boolean
 * }} wanted  no slot is before `startMs`
 */
export async function loadJobs(databaseUrl, wanted) {
  const { tenant = 'default', handler = 'noop', indexesLater = true } = wanted
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query("set maintenance_work_mem = '1GB'; set work_mem = '256MB'")
    // A role without this privilege has its references checked: the same result, later.
    await client.query('set session_replication_role = replica').catch(() => {})
    const first = await compileFirst({ ...wanted, handler })
    const tenantId = await internTenant(client, tenant)
    const lane = await internLane(client, tenantId, first)
    await internTimings(client, first)
    const restore = indexesLater ? await dropIndexes(client) : async () => {}
    await client.query(insertJobs(first), [
      ...[wanted.count, tenantId, lane, randomUUID().slice(0, 8), first[0].job.payload],
      ...[wanted.startMs, Date.now()],
    ])
    await client.query(INSERT_CURSORS, [wanted.startMs, tenantId])
    await restore()
    for (const table of ['jobs', 'cursors', 'timings'])
      await client.query(`vacuum (freeze, analyze) punctual.${table}`)
  } finally {
    await client.end()
  }
}

/** The product's rules for each schedule, and the first slot of a job with them. */
async function compileFirst({ schedules, startMs, handler, payload }) {
  const { compileJob, firstSlot } = await import(CORE('job'))
  const { TimingCache } = await import(CORE('schedule'))
  const timings = new TimingCache()
  return schedules.map((schedule) => {
    const options = { name: 'bench', handler, payload: jobPayload(payload), startAt: startMs }
    const job = compileJob({ ...options, ...schedule }, DEFAULTS)
    return { job, ...firstSlot(job, '', timings, startMs) }
  })
}

async function internTenant(client, name) {
  await client.query('insert into punctual.tenants (name) values ($1) on conflict do nothing', [
    name,
  ])
  const { rows } = await client.query('select id from punctual.tenants where name = $1', [name])
  return rows[0].id
}

async function internLane(client, tenantId, [{ job }]) {
  const { queue, handler, priority } = job.run
  const { rows } = await client.query(
    `insert into punctual.lanes (tenant_id, queue, handler, priority) values ($1, $2, $3, $4)
     on conflict (tenant_id, queue, handler, priority) do update set priority = excluded.priority
     returning id`,
    [tenantId, queue, handler, priority],
  )
  return rows[0].id
}

/** A temporary table of the schedules by number, with their timings and first slots. */
async function internTimings(client, first) {
  await client.query(
    `create temporary table bench_first as
     select n - 1 as n, spec, to_timestamp(next_ms / 1000.0) as next_at, 0 as timing
     from unnest($1::text[], $2::float8[]) with ordinality as i (spec, next_ms, n)`,
    [first.map(({ job }) => job.rulesText), first.map(({ nextMs }) => nextMs)],
  )
  await client.query(
    `insert into punctual.timings (spec) select distinct spec from bench_first
     on conflict do nothing`,
  )
  await client.query(
    `update bench_first f set timing = t.id from punctual.timings t where md5(t.spec) = md5(f.spec)`,
  )
  await client.query('create unique index on bench_first (n); create index on bench_first (timing)')
  await client.query('analyze bench_first')
}

/** Ids have the product's format: by time, ten in a millisecond, with a random end. */
const insertJobs = (first) => `
  insert into punctual.jobs (
    id, created_at, updated_at, start_at, tenant_id, lane, timing, version, timeout_ms, max_attempts,
    traits, name, payload)
  select
    (lpad(to_hex($7::bigint + i / 10), 12, '0') || '7' || lpad(to_hex(i % 10), 3, '0')
      || '8' || right(md5($4::text || i), 15))::uuid,
    clock_timestamp(), clock_timestamp(), to_timestamp($6::float8 / 1000), $2::integer, $3::integer,
    f.timing, 1, ${first[0].job.run.timeoutMs}, ${first[0].job.run.maxAttempts}, ${first[0].job.traits},
    'job-' || $4::text || '-' || i, $5::text
  from generate_series(0, $1::bigint - 1) as i
  join bench_first f on f.n = i % ${first.length}
  order by i`

const INSERT_CURSORS = `
  insert into punctual.cursors (
    job_id, next_at, cursor_at, anchor_at, tenant_id, timing, version, shard)
  select
    j.id, f.next_at, to_timestamp($1::float8 / 1000), to_timestamp($1::float8 / 1000), j.tenant_id,
    j.timing, 1, get_byte(uuid_send(j.id), 15)
  from punctual.jobs j
  join bench_first f on f.timing = j.timing
  where j.tenant_id = $2::integer`

/** Drops every index of the two large tables; returns a function that recreates them. */
async function dropIndexes(client) {
  const { rows } = await client.query(
    `select c.relname as table, i.relname as index, k.conname as constraint,
       coalesce(pg_get_constraintdef(k.oid), pg_get_indexdef(i.oid)) as definition
     from pg_index x
     join pg_class i on i.oid = x.indexrelid
     join pg_class c on c.oid = x.indrelid
     left join pg_constraint k on k.conindid = i.oid and k.conrelid = c.oid
     where c.relnamespace = 'punctual'::regnamespace and c.relname = any ($1)`,
    [TABLES],
  )
  for (const { table, index, constraint } of rows)
    await client.query(
      constraint
        ? `alter table punctual.${table} drop constraint ${constraint}`
        : `drop index punctual.${index}`,
    )
  return async () => {
    for (const { table, constraint, definition } of rows)
      await client.query(
        constraint
          ? `alter table punctual.${table} add constraint ${constraint} ${definition}`
          : definition,
      )
  }
}
