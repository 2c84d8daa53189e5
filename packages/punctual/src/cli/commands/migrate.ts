/** `punctual migrate`: brings the schema up to date, shows its status, or prints the SQL. */
import { randomUUID } from 'node:crypto'
import {
  installScript,
  loadMigrations,
  migrationStatus,
  PostgresStore,
  systemClock,
  systemRandom,
} from '@punctual/store'
import type { Command } from 'commander'
import { showTable } from '../output/table.ts'
import { exit } from '../runtime/exit-code.ts'
import { type CommandContext, perform } from '../runtime/perform.ts'
import { addFlags } from '../runtime/setting-flags.ts'
import { openDatabase } from '../target/open-database.ts'

type Client = Awaited<ReturnType<PostgresStore['database']['connect']>>

export function addMigrate(program: Command): void {
  const command = program
    .command('migrate')
    .description('bring the schema up to date')
    .option('--sql', 'print the SQL and run nothing: all of it, or what the given database lacks')
    .option('--status', 'show which migrations are applied and which are missing')
  addFlags(command, ['database'])
  command.action((flags: { sql?: true; status?: true }) =>
    perform(command, (context) => {
      if (flags.sql) return printSql(context)
      return flags.status ? showStatus(context) : migrateNow(context)
    }),
  )
}

async function openStore(context: CommandContext, mode: 'have' | 'use'): Promise<PostgresStore> {
  const { url } = await openDatabase(context, mode)
  const ports = { clock: systemClock, random: systemRandom, node: randomUUID() }
  const store = new PostgresStore({ url, schema: context.config.schema, ...ports })
  context.onEnd(() => store.close())
  return store
}

async function withClient<T>({ database }: PostgresStore, work: (client: Client) => Promise<T>) {
  const client = await database.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function migrateNow(context: CommandContext) {
  const { terminal, config, json } = context
  const applied = await (await openStore(context, 'have')).migrate()
  if (json) terminal.json({ schema: config.schema, applied })
  else if (applied.length === 0) terminal.line(`The schema ${config.schema} is up to date.`)
  else for (const name of applied) terminal.line(`Applied ${name} to the schema ${config.schema}.`)
  return exit.ok
}

async function showStatus(context: CommandContext) {
  const { terminal, config, json } = context
  const store = await openStore(context, 'use')
  const status = await withClient(store, (client) => migrationStatus(client, config.schema))
  const applied = new Set(status.applied)
  const rows = loadMigrations().map(({ version, name, breaking }) => ({
    version,
    name,
    breaking,
    applied: applied.has(version),
  }))
  if (json) terminal.json({ schema: config.schema, migrations: rows })
  else
    showTable(
      terminal,
      ['VERSION', 'NAME', 'STATE'],
      rows.map((row) => [
        row.version,
        row.name,
        row.applied ? 'applied' : terminal.colors.yellow('missing'),
      ]),
    )
  return exit.ok
}

/** Never starts the embedded database: the SQL is meant for a database that others administer. */
async function printSql(context: CommandContext) {
  const { terminal, config, json } = context
  const { schema } = config
  const store = config.databaseUrl ? await openStore(context, 'use') : null
  const { after, sql } = store
    ? await withClient(store, (client) =>
        installScript(schema, store.database.clock.nowMs(), client),
      )
    : await installScript(schema, systemClock.wallMs(), null)
  if (json) terminal.json({ schema, after, sql })
  else if (sql !== '') terminal.line(sql)
  else terminal.note(`Nothing to run: the schema ${config.schema} is up to date.`)
  return exit.ok
}
