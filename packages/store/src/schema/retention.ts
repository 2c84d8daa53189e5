/**
 * Drops days that are older than the retention. A day without live runs is detached without
 * blocking other sessions, and dropped. Live runs of an old day (a run that waits for years, a
 * paused queue) are carried over first: their rows move into the `carried` partition, which covers
 * all days before the oldest one that is kept, so that every statement finds them as before.
 */
import { runIdFloor } from '@punctual/core/run'
import type pg from 'pg'
import { DAY_MS, dayOfName, dayStart } from '../connection/day-names.ts'
import { carryDay, dropReplaced, liveRuns } from './carrying.ts'
import { daysBefore, dayTables, listDays, type Partition } from './partitions.ts'

type Pause = (ms: number) => Promise<void>

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
  await dropReplaced(client, schema)
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
    const { rows } = await client.query(`select exists (${liveRuns(schema, ...bounds)}) as live`)
    if (rows[0].live !== 't') await dropDead(client, schema, day)
    else if (await carryDay(client, schema, day, pause)) await dropDead(client, schema, day)
    // Another node carries this day, and then continues with the next one.
    else return days.slice(0, days.indexOf(day))
  }
  return days
}
