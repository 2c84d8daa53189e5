/**
 * Forward-only, checksummed migrations, each in one transaction under a lock of the installation,
 * so two nodes may start at the same time. A binary that does not know a migration refuses to run
 * if the first line of that migration is `-- breaking`; otherwise it runs on the newer schema.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'
import { inSchema } from '../connection/statements.ts'
import { type AppliedMigration, migrationMismatch, schemaTooNew } from './schema-mismatch.ts'

const root = new URL('../../migrations/', import.meta.url)

export interface Migration extends AppliedMigration {
  readonly sql: string
}

export function loadMigrations(folder: URL = root): readonly Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const sql = readFileSync(new URL(file, folder), 'utf8')
      return {
        version: Number(file.slice(0, 4)),
        name: file.slice(5, -4),
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
        breaking: /^-- breaking/.test(sql),
      }
    })
}

function bookkeeping(schema: string): string {
  return [
    // Not `create schema if not exists`: that requires the CREATE privilege even if the schema
    // exists.
    `do $$ begin if to_regnamespace('${schema}') is null then create schema ${schema}; end if; end $$;`,
    `create table if not exists ${schema}.migrations (`,
    '  version integer primary key, name text not null, checksum text not null,',
    '  breaking boolean not null, applied_at timestamptz not null default clock_timestamp()',
    ');',
  ].join('\n')
}

function insertion(schema: string, m: Migration): string {
  return `insert into ${schema}.migrations (version, name, checksum, breaking) values (${m.version}, '${m.name}', '${m.checksum}', ${m.breaking});`
}

/** Returns one script with all that `migrate` would run on an empty schema, or after a version. */
export function migrationScript(
  schema: string,
  after = 0,
  known: readonly Migration[] = loadMigrations(),
): string {
  const steps = known
    .filter((m) => m.version > after)
    .map((m) => `begin;\n${inSchema(m.sql, schema)}\n${insertion(schema, m)}\ncommit;`)
  return [after === 0 ? bookkeeping(schema) : '', ...steps].filter(Boolean).join('\n\n')
}

async function applied(client: pg.Client, schema: string): Promise<AppliedMigration[]> {
  const exists = await client.query(
    `select to_regclass('${schema}.migrations') is not null as found`,
  )
  if (exists.rows[0].found !== 't') return []
  const { rows } = await client.query(
    `select version, name, checksum, breaking from ${schema}.migrations order by version`,
  )
  return rows.map((row) => ({
    ...row,
    version: Number(row.version),
    breaking: row.breaking === 't',
  }))
}

async function check(
  client: pg.Client,
  schema: string,
  found: readonly AppliedMigration[],
  known: readonly Migration[],
): Promise<void> {
  for (const row of found) {
    const migration = known.find((m) => m.version === row.version)
    if (!migration && row.breaking) throw schemaTooNew(schema, row)
    if (migration && (migration.name !== row.name || migration.checksum !== row.checksum))
      throw await migrationMismatch(client, schema, row, migration)
  }
}

export interface MigrationStatus {
  readonly applied: readonly number[]
  readonly pending: readonly Migration[]
}

/** Lists applied and missing migrations; throws when this binary cannot use the schema. */
export async function migrationStatus(
  client: pg.Client,
  schema: string,
  known: readonly Migration[] = loadMigrations(),
): Promise<MigrationStatus> {
  const found = await applied(client, schema)
  await check(client, schema, found, known)
  const versions = new Set(found.map((row) => row.version))
  return { applied: [...versions], pending: known.filter((m) => !versions.has(m.version)) }
}

async function withLock<T>(client: pg.Client, schema: string, work: () => Promise<T>): Promise<T> {
  await client.query('begin isolation level read committed')
  try {
    // A session lock could stay locked behind a pooler; this one ends with the transaction.
    await client.query(
      `select pg_advisory_xact_lock(hashtextextended('punctual migrate ${schema}', 0))`,
    )
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Applies the missing migrations and returns them. */
export async function migrate(
  client: pg.Client,
  schema: string,
  known: readonly Migration[] = loadMigrations(),
): Promise<readonly Migration[]> {
  const done: Migration[] = []
  const status = await migrationStatus(client, schema, known)
  if (status.pending.length === 0) return done
  for (;;) {
    const next = await withLock(client, schema, async () => {
      await client.query(bookkeeping(schema))
      const migration = (await migrationStatus(client, schema, known)).pending[0]
      if (!migration) return null
      await client.query("set local lock_timeout = '5s'")
      await client.query(inSchema(migration.sql, schema))
      await client.query(insertion(schema, migration))
      return migration
    })
    if (!next) return done
    done.push(next)
  }
}
