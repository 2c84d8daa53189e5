/**
 * The errors for a schema whose migrations are not those of this version. They state what the
 * schema has, what this version has, and how to continue: Punctual never changes such a schema.
 */
import { resolve } from 'node:path'
import { PunctualError } from '@punctual/core/errors'
import type pg from 'pg'
import { dataDirAt } from '../embedded/data-directory/data-dir.ts'

/** A row of the table of migrations. */
export interface AppliedMigration {
  readonly version: number
  readonly name: string
  readonly checksum: string
  readonly breaking: boolean
}

/** The error for a migration that differs: another build made it, or a file or row was altered. */
export async function migrationMismatch(
  client: pg.Client,
  schema: string,
  found: AppliedMigration,
  expected: AppliedMigration,
): Promise<PunctualError> {
  const details = { id: String(found.version) }
  const remedy = `Use the build that created it, or start with ${await emptyPlace(client, schema)}.`
  if (found.name !== expected.name)
    return new PunctualError(
      'schema_incompatible',
      `Another build of Punctual created the schema ${schema}: it has the migration ${fileOf(found)}, and this version has ${fileOf(expected)}. This version cannot upgrade it. ${remedy}`,
      details,
    )
  const [was, is] = [found, expected].map(({ checksum }) => checksum.slice(0, 12))
  return new PunctualError(
    'migration_changed',
    `The migration ${fileOf(found)} of the schema ${schema} has the checksum ${was}, and this version has ${is}: the program or the schema was altered. ${remedy}`,
    details,
  )
}

export function schemaTooNew(schema: string, found: AppliedMigration): PunctualError {
  return new PunctualError(
    'schema_too_new',
    `The schema ${schema} has the breaking migration ${fileOf(found)} of a newer Punctual, which this version does not know. Upgrade this program.`,
    { id: String(found.version) },
  )
}

function fileOf({ version, name }: AppliedMigration): string {
  return `${String(version).padStart(4, '0')}_${name}`
}

async function emptyPlace(client: pg.Client, schema: string): Promise<string> {
  const dataDir = await findEmbeddedDataDir(client)
  return dataDir === null
    ? `an empty schema: choose another schema name, or delete this schema and all its data with "drop schema ${schema} cascade"`
    : `an empty database: move or delete the data directory ${dataDir}`
}

/** Returns null if the server is not embedded, or hides its data directory from this role. */
async function findEmbeddedDataDir(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ setting: string; cluster_name: string }>(
    `select setting, current_setting('cluster_name') as cluster_name
     from pg_settings where name = 'data_directory'`,
  )
  const [row] = rows
  if (!row) return null
  const { root, tag } = dataDirAt(resolve(row.setting, '..'))
  return tag === row.cluster_name ? root : null
}
