/**
 * Drops days that are older than the retention. A day without live runs is detached without
 * blocking other sessions, and dropped. Live runs of an old day (a run that waits for years, a
 * paused queue) are carried over first: their rows move into the `carried` partition, which covers
 * all days before the oldest one that is kept, so that every statement finds them as before. That
 * takes a short exclusive lock, attempted under a lock_timeout.
 */
import { runIdFloor } from '@punctual/core/run'
import type pg from 'pg'
import { DAY_MS, dayOfName, dayStart } from '../connection/day-names.ts'
import {
  daysBefore,
  dayTables,
  historyTables,
  ledgerTables,
  listDays,
  type Partition,
  runDdl,
} from './partitions.ts'

type Pause = (ms: number) => Promise<void>

const LIVE = (schema: string, from: string, to: string) =>
  ['later', 'queue', 'leases', 'parked']
    .map(
      (place) =>
        `select run_id from ${schema}.${place} where run_id >= '${from}' and run_id < '${to}'`,
    )
    .join(' union all ')

/** Finishes what a crash interrupted: drops tables that were detached but not dropped. */
async function finishDetaching(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<Partition>(
    `select p.relname as parent, c.relname as child
     from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     join pg_namespace n on n.oid = p.relnamespace
     where n.nspname = $1 and i.inhdetachpending`,
    [schema],
  )
  for (const { parent, child } of rows) {
    await client.query(
      `alter table ${schema}.${parent} detach partition ${schema}.${child} finalize`,
    )
    await client.query(`drop table if exists ${schema}.${child}`)
  }
}

async function dropDead(client: pg.Client, schema: string, day: string): Promise<void> {
  for (const { table } of dayTables) {
    const name = `${schema}.${table}_${day}`
    const { rows } = await client.query(
      `select exists (select from pg_inherits where inhrelid = to_regclass('${name}')) as attached`,
    )
    if (rows[0].attached === 't')
      await client.query(`alter table ${schema}.${table} detach partition ${name} concurrently`)
    await client.query(`drop table if exists ${name}`)
  }
}

/** In one transaction, moves the day's live rows to `carried`, which then reaches to its end. */
function carryDdl(schema: string, day: string): string[] {
  const from = runIdFloor(dayOfName(day))
  const to = runIdFloor(dayOfName(day) + DAY_MS)
  const statements = [
    `create temporary table carried_ids on commit drop as ${LIVE(schema, from, to)}`,
  ]
  for (const { table, column } of historyTables) {
    const carried = `${schema}.${table}_carried`
    const old = `${schema}.${table}_${day}`
    statements.push(
      `create table if not exists ${carried} (like ${schema}.${table} including all)`,
      `do $$ begin
         if exists (select from pg_inherits where inhrelid = '${carried}'::regclass) then
           alter table ${schema}.${table} detach partition ${carried};
         end if;
       end $$`,
      `alter table ${schema}.${table} detach partition ${old}`,
      `insert into ${carried} select d.* from ${old} d where d.${column} in (select run_id from carried_ids)`,
      `drop table ${old}`,
      `alter table ${schema}.${table} attach partition ${carried} for values from (minvalue) to ('${to}')`,
    )
  }
  for (const { table } of ledgerTables)
    statements.push(`drop table if exists ${schema}.${table}_${day}`)
  return statements
}

export async function dropDays(
  client: pg.Client,
  schema: string,
  nowMs: number,
  retentionDays: number,
  pause: Pause,
): Promise<readonly string[]> {
  await finishDetaching(client, schema)
  const { complete, partial } = await listDays(client, schema)
  const days = daysBefore(
    [...complete, ...partial].sort(),
    dayStart(nowMs) - retentionDays * DAY_MS,
  )
  for (const day of days) {
    const bounds = [runIdFloor(dayOfName(day)), runIdFloor(dayOfName(day) + DAY_MS)] as const
    const { rows } = await client.query(`select exists (${LIVE(schema, ...bounds)}) as live`)
    if (rows[0].live === 't') await runDdl(client, carryDdl(schema, day), pause)
    else await dropDead(client, schema, day)
  }
  return days
}
