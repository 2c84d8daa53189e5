/**
 * Forward-only, checksummed migrations, each in one transaction under a lock of the installation, so that
 * two nodes may start at once. A migration whose first line says `-- breaking` makes binaries that do not
 * know it refuse to run; others may be ahead of a binary.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { PunctualError } from '@punctual/core/errors'
import type pg from 'pg'
import { inSchema } from '../connection/statements.ts'

const root = new URL('../../migrations/', import.meta.url)

export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
  readonly breaking: boolean
}

export function loadMigrations(): readonly Migration[] {
  return readdirSync(root)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const sql = readFileSync(new URL(file, root), 'utf8')
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
    // Only when it is missing: `if not exists` asks for the right to create even when it is there.
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

/** Everything that `migrate` would run on an empty schema, as one script. */
export function migrationScript(schema: string, after = 0): string {
  const steps = loadMigrations()
    .filter((m) => m.version > after)
    .map((m) => `begin;\n${inSchema(m.sql, schema)}\n${insertion(schema, m)}\ncommit;`)
  return [after === 0 ? bookkeeping(schema) : '', ...steps].filter(Boolean).join('\n\n')
}

interface Applied {
  version: number
  name: string
  checksum: string
  breaking: boolean
}

async function applied(client: pg.Client, schema: string): Promise<Applied[]> {
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

function check(found: readonly Applied[], known: readonly Migration[]): void {
  for (const row of found) {
    const migration = known.find((m) => m.version === row.version)
    if (!migration && row.breaking)
      throw new PunctualError(
        'schema_too_new',
        `The schema has migration ${row.version} (${row.name}), made by a newer Punctual, which this version cannot work with. Upgrade this program.`,
        { id: String(row.version) },
      )
    if (migration && migration.checksum !== row.checksum)
      throw new PunctualError(
        'migration_changed',
        `Migration ${row.version} (${row.name}) was applied with other contents than this version has. The program or the schema was altered; restore the one that belongs together.`,
        { id: String(row.version) },
      )
  }
}

export interface MigrationStatus {
  readonly applied: readonly number[]
  readonly pending: readonly Migration[]
}

/** What is applied and what is missing; throws when the schema and this program do not fit. */
export async function migrationStatus(client: pg.Client, schema: string): Promise<MigrationStatus> {
  const known = loadMigrations()
  const found = await applied(client, schema)
  check(found, known)
  const versions = new Set(found.map((row) => row.version))
  return { applied: [...versions], pending: known.filter((m) => !versions.has(m.version)) }
}

async function withLock<T>(client: pg.Client, schema: string, work: () => Promise<T>): Promise<T> {
  await client.query('begin isolation level read committed')
  try {
    // Held to the end of the transaction, so that a pooler cannot strand it.
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

/** Applies what is missing; returns what it applied. */
export async function migrate(client: pg.Client, schema: string): Promise<readonly Migration[]> {
  const done: Migration[] = []
  const status = await migrationStatus(client, schema)
  if (status.pending.length === 0) return done
  for (;;) {
    const next = await withLock(client, schema, async () => {
      await client.query(bookkeeping(schema))
      const migration = (await migrationStatus(client, schema)).pending[0]
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
