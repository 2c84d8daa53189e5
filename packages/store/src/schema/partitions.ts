/**
 * The days of history. A day is one partition of each history table, made ahead of time: created as
 * a separate table and then attached, so that the parent is locked only briefly, under a short
 * lock_timeout. A user's open transaction can delay this file, but never a submission.
 */
import { PunctualError } from '@punctual/core/errors'
import { runIdFloor } from '@punctual/core/run'
import type pg from 'pg'
import { DAY_MS, dayName, dayOfName, dayStart } from '../connection/day-names.ts'
import { isTransient } from '../connection/faults.ts'

/** A table with one partition a day, and the column whose ranges the days are. */
interface DayTable {
  readonly table: string
  readonly column: string
}

/** Tables of runs: a day is a range of run ids. */
export const historyTables: readonly DayTable[] = [
  { table: 'runs', column: 'id' },
  { table: 'outcomes', column: 'run_id' },
  { table: 'attempts', column: 'run_id' },
  { table: 'run_logs', column: 'run_id' },
  { table: 'checkpoints', column: 'run_id' },
]
/** Tables of instants: their rows are never live, so retention carries none of them over. */
const ledgerTables: readonly DayTable[] = [{ table: 'slots', column: 'slot_at' }]
export const dayTables = [...historyTables, ...ledgerTables]

const DDL_TRIES = 60
const DDL_LOCK = "pg_advisory_xact_lock(hashtextextended('punctual ddl', 0))"

/**
 * Runs DDL in a transaction that stops waiting for a lock after 200 ms and tries again. One node at
 * a time: `if not exists` does not protect against another session that creates the same table.
 */
export async function runDdl(
  client: pg.Client,
  statements: readonly string[],
  pause: (ms: number) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('begin isolation level read committed')
      await client.query("set local lock_timeout = '200ms'")
      await client.query(`select ${DDL_LOCK}`)
      for (const statement of statements) await client.query(statement)
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback').catch(() => undefined)
      if (!isTransient(error) || attempt >= DDL_TRIES) throw error
      await pause(Math.min(1_000, 20 * attempt))
    }
  }
}

/** A partition as the catalog of PostgreSQL lists it. */
export interface Partition {
  readonly parent: string
  readonly child: string
}

/** Days with a complete set of partitions, and days with only some of them. */
export async function listDays(
  client: pg.Client,
  schema: string,
): Promise<{ complete: string[]; partial: string[] }> {
  const { rows } = await client.query<Partition>(
    `select p.relname as parent, c.relname as child
     from pg_inherits i
     join pg_class c on c.oid = i.inhrelid
     join pg_class p on p.oid = i.inhparent
     join pg_namespace n on n.oid = p.relnamespace
     where n.nspname = $1 and not i.inhdetachpending`,
    [schema],
  )
  const days = new Map<string, number>()
  for (const { parent, child } of rows) {
    const day = child.slice(parent.length + 1)
    if (/^\d{8}$/.test(day)) days.set(day, (days.get(day) ?? 0) + 1)
  }
  const names = [...days.keys()].sort()
  return {
    complete: names.filter((day) => days.get(day) === dayTables.length),
    partial: names.filter((day) => days.get(day) !== dayTables.length),
  }
}

function ddlForDay(schema: string, { table, column }: DayTable, dayMs: number): string[] {
  const name = `${table}_${dayName(dayMs)}`
  const bound = column === 'slot_at' ? (ms: number) => new Date(ms).toISOString() : runIdFloor
  const from = bound(dayMs)
  const to = bound(dayMs + DAY_MS)
  return [
    `create table if not exists ${schema}.${name} (like ${schema}.${table} including all)`,
    // With this check in place, attaching needs no scan.
    `do $$ begin
  if not exists (select from pg_inherits where inhrelid = '${schema}.${name}'::regclass) then
    alter table ${schema}.${name} drop constraint if exists ${name}_day;
    alter table ${schema}.${name} add constraint ${name}_day check (${column} is not null and ${column} >= '${from}' and ${column} < '${to}');
    alter table ${schema}.${table} attach partition ${schema}.${name} for values from ('${from}') to ('${to}');
    alter table ${schema}.${name} drop constraint ${name}_day;
  end if;
  -- Statements that name the partition itself bypass the row security of its parent.
  perform ${schema}.enable_row_security('${schema}.${name}');
end $$`,
  ]
}

export async function ensureDay(
  client: pg.Client,
  schema: string,
  dayMs: number,
  pause: (ms: number) => Promise<void>,
): Promise<void> {
  for (const table of dayTables)
    await runDdl(client, ddlForDay(schema, table, dayStart(dayMs)), pause)
}

/** Creates every missing day from yesterday to `daysAhead` days ahead; returns the new ones. */
export async function ensureDays(
  client: pg.Client,
  schema: string,
  nowMs: number,
  daysAhead: number,
  pause: (ms: number) => Promise<void>,
): Promise<readonly string[]> {
  const days = missingDays((await listDays(client, schema)).complete, nowMs, daysAhead)
  for (const dayMs of days) await ensureDay(client, schema, dayMs, pause)
  return days.map(dayName)
}

/** Starts with yesterday, where runs that were submitted before midnight may still arrive. */
function missingDays(complete: readonly string[], nowMs: number, daysAhead: number): number[] {
  const days = Array.from({ length: daysAhead + 2 }, (_, i) => dayStart(nowMs) + (i - 1) * DAY_MS)
  return days.filter((dayMs) => !complete.includes(dayName(dayMs)))
}

/** The statements of `ensureDays` as a script, one transaction a day; empty if none is missing. */
export function daysScript(
  schema: string,
  complete: readonly string[],
  nowMs: number,
  daysAhead: number,
): string {
  return missingDays(complete, nowMs, daysAhead)
    .map((dayMs) =>
      [
        'begin',
        "set local lock_timeout = '5s'",
        'set local client_min_messages = warning',
        `do $$ begin perform ${DDL_LOCK}; end $$`,
        ...dayTables.flatMap((table) => ddlForDay(schema, table, dayMs)),
        'commit;',
      ].join(';\n'),
    )
    .join('\n\n')
}

/** Returns today or tomorrow if its partitions are missing. */
export async function missingDay(
  client: pg.Client,
  schema: string,
  nowMs: number,
): Promise<string | null> {
  const { complete } = await listDays(client, schema)
  return [nowMs, nowMs + DAY_MS].map(dayName).find((day) => !complete.includes(day)) ?? null
}

export async function checkDays(client: pg.Client, schema: string, nowMs: number): Promise<void> {
  const day = await missingDay(client, schema, nowMs)
  if (day !== null)
    throw new PunctualError(
      'partition_missing',
      `The day ${day} has no partitions. Run \`punctual migrate\`, or start a node with the janitor role.`,
      { id: day },
    )
}

export function daysBefore(days: readonly string[], cutoffMs: number): readonly string[] {
  return days.filter((day) => dayOfName(day) + DAY_MS <= cutoffMs)
}
