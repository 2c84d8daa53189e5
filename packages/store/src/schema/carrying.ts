/**
 * Carries the live runs of an old day over. The `carried` partitions cover all days before the
 * oldest one that is kept; here they are built anew with the live runs of one more day.
 *
 * The rows are copied in small transactions, while everybody reads and writes the old tables. A
 * trigger on these notes every run that changes meanwhile, and such runs are copied again. Only then
 * the new tables take the place of the old ones, in one transaction that locks the parents and
 * copies nothing but the last few changes: submissions wait for milliseconds, however many runs
 * are carried.
 *
 * The names of the new tables are random. A second node that carries drops those of the first, whose
 * next statement then fails: two nodes never fill the same tables.
 */
import { randomBytes } from 'node:crypto'
import { runIdFloor } from '@punctual/core/run'
import type pg from 'pg'
import { DAY_MS, dayOfName } from '../connection/day-names.ts'
import { isMissingPartition, isMissingSchema } from '../connection/faults.ts'
import { historyTables, runDdl } from './partitions.ts'

type Pause = (ms: number) => Promise<void>

/** Runs per transaction: a payload may have megabytes. */
const COPIED_AT_ONCE = 500
/** Between two transactions, so that the copy takes no more than its share of the disk. */
const PAUSE_MS = 5
/** Rounds of changes before the lock; each is smaller than the one before. */
const ROUNDS_MAX = 100
const PLACES = ['later', 'queue', 'leases', 'parked']

interface Carrying {
  readonly client: pg.Client
  readonly schema: string
  readonly day: string
  /** The history tables that have a partition of the day. */
  readonly present: ReadonlySet<string>
  /** Ends the names of the new tables. */
  readonly token: string
}

/** A query for the ids of live runs in a range of ids. */
export function liveRuns(schema: string, from: string, to: string): string {
  return PLACES.map(
    (place) =>
      `select run_id from ${schema}.${place} where run_id >= '${from}' and run_id < '${to}'`,
  ).join(' union all ')
}

/**
 * False when another node has taken over. Without a partition of runs there is nothing to carry: an
 * earlier call was interrupted after it had carried the day.
 */
export async function carryDay(
  client: pg.Client,
  schema: string,
  day: string,
  pause: Pause,
): Promise<boolean> {
  const present = await attached(client, schema, day)
  if (!present.has('runs')) return true
  const carrying = { client, schema, day, present, token: randomBytes(6).toString('hex') }
  try {
    await runDdl(client, prepareDdl(carrying), pause)
    await copyAll(carrying, pause)
    await copyChanges(carrying, pause)
    await runDdl(client, swapDdl(carrying), pause)
  } catch (error) {
    // Another node has dropped the new tables, or put its own in the place of the old ones.
    if (isMissingSchema(error) || isMissingPartition(error)) return false
    throw error
  }
  await dropReplaced(client, schema)
  return true
}

/** The history tables that have a partition of the day. */
async function attached(
  client: pg.Client,
  schema: string,
  day: string,
): Promise<ReadonlySet<string>> {
  const names = historyTables.map(({ table }) => `('${table}', '${schema}.${table}_${day}')`)
  const { rows } = await client.query<{ name: string }>(
    `select t.name from (values ${names.join(', ')}) as t (name, place)
     join pg_inherits i on i.inhrelid = to_regclass(t.place)`,
  )
  return new Set(rows.map(({ name }) => name))
}

/** The tables that rows are copied from. */
function sourcesOf({ schema, day, present }: Carrying, table: string): string[] {
  const ofDay = present.has(table) ? [`${schema}.${table}_${day}`] : []
  return [carriedOf(schema, table), ...ofDay]
}

const carriedOf = (schema: string, table: string) => `${schema}.${table}_carried`
const nextOf = ({ schema, token }: Carrying, table: string) =>
  `${schema}.${table}_carried_next_${token}`

/** Drops what an earlier node left, makes the new tables, and begins to note changes. */
function prepareDdl(carrying: Carrying): string[] {
  const { schema, day } = carrying
  const to = runIdFloor(dayOfName(day) + DAY_MS)
  const statements = [
    dropLike(schema, '\\_carried\\_next\\_%'),
    `delete from ${schema}.carried_changes`,
  ]
  for (const { table, column } of historyTables) {
    const carried = carriedOf(schema, table)
    const next = nextOf(carrying, table)
    statements.push(
      `create table if not exists ${carried} (like ${schema}.${table} including all)`,
      `create table ${next} (like ${schema}.${table} including all)`,
      // With this check in place, attaching needs no scan.
      `alter table ${next} add constraint carried_day check (${column} is not null and ${column} < '${to}')`,
      ...[carried, next].map((name) => `select ${schema}.enable_row_security('${name}')`),
    )
    for (const source of sourcesOf(carrying, table))
      statements.push(
        `create or replace trigger carried_change after insert or update or delete on ${source}
         for each row execute function ${schema}.note_carried_change('${column}')`,
      )
  }
  return statements
}

/** Copies the live runs of the day, and all that was carried before, in the order of their ids. */
async function copyAll(carrying: Carrying, pause: Pause): Promise<void> {
  const { client, schema, day } = carrying
  const from = runIdFloor(dayOfName(day))
  const to = runIdFloor(dayOfName(day) + DAY_MS)
  const page = (after: string) => {
    const sources = PLACES.map(
      (place) =>
        `(select run_id from ${schema}.${place} where run_id > '${after}' and run_id >= '${from}' and run_id < '${to}' order by run_id limit ${COPIED_AT_ONCE})`,
    )
    const carried = `(select id from ${carriedOf(schema, 'runs')} where id > '${after}' order by id limit ${COPIED_AT_ONCE})`
    const ids = `select distinct run_id from (${[...sources, carried].join(' union all ')}) as r (run_id)`
    return `select run_id::text from (${ids} order by run_id limit ${COPIED_AT_ONCE}) as p order by p.run_id`
  }
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await client.query<{ run_id: string }>(page(after))
    const ids = rows.map((row) => row.run_id)
    await inTransaction(client, () => copy(carrying, ids))
    after = ids.at(-1) ?? after
    if (ids.length < COPIED_AT_ONCE) return
    await pause(PAUSE_MS)
  }
}

/** Copies changed runs again, until few have changed since. */
async function copyChanges(carrying: Carrying, pause: Pause): Promise<void> {
  const { client, schema } = carrying
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const changed = await inTransaction(client, async () => {
      const { rows } = await client.query<{ run_id: string }>(
        `delete from ${schema}.carried_changes
         where ctid = any (array(select ctid from ${schema}.carried_changes limit ${COPIED_AT_ONCE}))
         returning run_id::text`,
      )
      await copy(carrying, [...new Set(rows.map((row) => row.run_id))])
      return rows.length
    })
    if (changed < COPIED_AT_ONCE) return
    await pause(PAUSE_MS)
  }
}

async function copy(carrying: Carrying, ids: readonly string[]): Promise<void> {
  const list = `array[${ids.map((id) => `'${id}'`).join(', ')}]::uuid[]`
  for (const statement of copyStatements(carrying, list)) await carrying.client.query(statement)
}

/** Replaces the copies of these runs. An ended run stays until the sweep of its retention. */
function copyStatements(carrying: Carrying, ids: string): string[] {
  return historyTables.flatMap(({ table, column }) => {
    const next = nextOf(carrying, table)
    return [
      `delete from ${next} where ${column} = any (${ids})`,
      ...sourcesOf(carrying, table).map(
        (source) =>
          `insert into ${next} select d.* from ${source} d where d.${column} = any (${ids})`,
      ),
    ]
  })
}

/** Puts the new tables in the place of the old ones, which are dropped after the commit. */
function swapDdl(carrying: Carrying): string[] {
  const { schema, day, token } = carrying
  const to = runIdFloor(dayOfName(day) + DAY_MS)
  const detach = historyTables.flatMap(({ table }) => {
    const carried = carriedOf(schema, table)
    return [
      `do $$ begin
         if exists (select from pg_inherits where inhrelid = '${carried}'::regclass) then
           alter table ${schema}.${table} detach partition ${carried};
         end if;
       end $$`,
      ...sourcesOf(carrying, table)
        .slice(1)
        .map((source) => `alter table ${schema}.${table} detach partition ${source}`),
    ]
  })
  const attach = historyTables.flatMap(({ table }) => {
    const next = nextOf(carrying, table)
    return [
      `alter table ${schema}.${table} attach partition ${next} for values from (minvalue) to ('${to}')`,
      `alter table ${next} drop constraint carried_day`,
      `alter table ${carriedOf(schema, table)} rename to ${table}_carried_old_${token}`,
      `alter table ${next} rename to ${table}_carried`,
    ]
  })
  const changed = `array(select distinct run_id from ${schema}.carried_changes)`
  return [
    ...detach,
    ...copyStatements(carrying, changed),
    `delete from ${schema}.carried_changes`,
    ...attach,
  ]
}

/** Drops the tables that new ones have replaced, also those that a crash left. */
export async function dropReplaced(client: pg.Client, schema: string): Promise<void> {
  await client.query(dropLike(schema, '\\_carried\\_old\\_%'))
}

/** Drops the tables of history whose names end like this. */
function dropLike(schema: string, ending: string): string {
  const names = historyTables.map(({ table }) => `'${table.replaceAll('_', '\\_')}${ending}'`)
  return `do $$ declare place regclass; begin
    for place in
      select c.oid::regclass from pg_class c
      where c.relnamespace = '${schema}'::regnamespace and c.relkind = 'r'
        and c.relname like any (array[${names.join(', ')}])
    loop
      execute format('drop table %s', place);
    end loop;
  end $$`
}

async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin isolation level read committed')
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
