import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defaults, limits } from '@punctual/core/errors'
import { createTestDatabase } from '@punctual/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { cliErrors } from '../../src/cli/runtime/cli-error.ts'
import { exit, exitCodes } from '../../src/cli/runtime/exit-code.ts'
import { type Setting, settingNames, settings } from '../../src/config/settings.ts'
import { version } from '../../src/index.ts'
import { aTemporaryFolder, both, cli } from '../kit/cli-process.ts'

const page = (name: string) =>
  readFileSync(new URL(`../../../../docs/reference/${name}`, import.meta.url), 'utf8').split('\n')

describe('the reference page of the configuration', () => {
  const lines = page('configuration.md')

  test.for(settingNames)('lists the setting %s unchanged', (name) => {
    const {
      flag,
      env,
      default: value,
      defaultShown,
      help,
      kind,
    } = settings[name] as Setting<unknown>
    const shown = defaultShown ?? `\`${value}\``
    const row = `| \`${name}\` | \`${flag}\` | \`${env}\` | ${shown} | ${help} | ${kind.expected} |`
    expect(lines).toContain(row)
  })

  test.for(Object.entries({ ...defaults, ...limits }))('lists %s = %s', ([name, value]) => {
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`^\\| \`${name}\` \\| ${value} \\|`)),
    )
  })

  test('lists nothing that the code does not have', () => {
    const known = new Set([...settingNames, ...Object.keys(defaults), ...Object.keys(limits)])
    const rows = lines.flatMap((line) => line.match(/^\| `([a-z]\w*)` \|/)?.[1] ?? [])
    expect(rows.filter((name) => !known.has(name as never))).toEqual([])
  })
})

describe('the reference page of the command line', () => {
  const lines = page('cli.md')

  test('lists every exit code and every error of the command line', () => {
    for (const { code, meaning } of Object.values(exitCodes))
      expect(lines).toContain(`| ${code} | ${meaning} |`)
    for (const [code, { exit: name, meaning }] of Object.entries(cliErrors))
      expect(lines).toContain(`| \`${code}\` | ${exit[name]} | ${meaning} |`)
  })

  test('lists every command', () => {
    const names = createProgram().commands.flatMap((command) =>
      command.commands.length > 0
        ? command.commands.map((sub) => `${command.name()} ${sub.name()}`)
        : [command.name()],
    )
    for (const name of names)
      expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^\\| \`${name}[ \`]`)))
  })
})

describe('the program', () => {
  test('prints its version, and its help with commands and exit codes', async () => {
    const [shown, help] = await Promise.all([cli(['--version']), cli(['--help'])])
    expect([shown.code, shown.stdout]).toEqual([0, `${version}\n`])
    expect(help.code).toBe(0)
    expect(help.stdout).toMatch(/start \[options\].*\n[\s\S]*Exit codes:\n {2}0 +Success/)
  })

  test.for([
    [['fly'], "unknown command 'fly'"],
    [['runs', 'list', '--fast'], "unknown option '--fast'"],
    [['runs', 'show'], "missing required argument 'id'"],
    [['runs', 'reschedule', 'x'], '--at <time>'],
  ] as const)('refuses %j with 2 and a hint', async ([args, message]) => {
    const { code, stdout, stderr } = await cli(args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^error\[invalid_option\]: /)
    expect(stderr).toContain(message)
    expect(stderr).toContain('--help')
  })

  test('a group without a subcommand lists its subcommands', async () => {
    const { code, stderr } = await cli(['runs'])
    expect(code).toBe(2)
    expect(stderr).toContain('reschedule')
  })

  test('an unbuilt checkout prints how to build it', async () => {
    const folder = aTemporaryFolder()
    cpSync(fileURLToPath(new URL('../../bin', import.meta.url)), join(folder, 'bin'), {
      recursive: true,
    })
    const { execFile } = await import('node:child_process')
    const stderr = await new Promise((resolve) => {
      execFile(process.execPath, [join(folder, 'bin', 'punctual.js')], (_, __, text) =>
        resolve(text),
      )
    })
    expect(stderr).toContain('npm run build')
  })
})

describe('migrate', () => {
  test('prints the whole script without a database, and starts none', async () => {
    const cwd = aTemporaryFolder()
    const { table, value } = await both(['migrate', '--sql', '--schema', 'jobs'], { cwd })
    expect(table.code).toBe(0)
    expect(table.stdout).toContain('create schema jobs;')
    expect(table.stdout).toContain('create table jobs.runs')
    expect(table.stdout).not.toContain('punctual.runs')
    expect(value).toMatchObject({ schema: 'jobs', after: 0, sql: expect.any(String) })
  })

  test('applies missing migrations, shows the status, and then has nothing to print', async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const env = { DATABASE_URL: database.url }
    const before = await cli(['queues'], { env })
    expect(before.code).toBe(1)
    expect(before.stderr).toMatch(/^error\[schema_missing\].*\n.*punctual migrate/)
    const missing = await both(['migrate', '--status'], { env })
    expect(missing.table.stdout).toMatch(/1 +create_tenants +missing/)
    const applied = await cli(['migrate'], { env })
    expect(applied.stdout).toContain('Applied 0001_create_tenants to the schema punctual.')
    const [again, sql] = await Promise.all([
      both(['migrate'], { env }),
      cli(['migrate', '--sql'], { env }),
    ])
    expect(again.table.stdout).toBe('The schema punctual is up to date.\n')
    expect(again.value).toEqual({ schema: 'punctual', applied: [] })
    expect([sql.code, sql.stdout]).toEqual([0, ''])
  })
})

describe('a database that cannot be used', () => {
  test('exits with 3, without showing the password', async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const wrong = new URL(database.url)
    wrong.password = 'hunter2'
    const gone = new URL(database.url)
    gone.pathname = '/nowhere'
    const [login, missing, closed] = await Promise.all([
      cli(['queues', '--database-url', wrong.href]),
      cli(['queues', '--database-url', gone.href]),
      cli(['doctor', '--database-url', 'postgres://u:hunter2@127.0.0.1:1/db']),
    ])
    expect([login.code, missing.code, closed.code]).toEqual([3, 3, 3])
    expect(login.stderr).toMatch(/^error\[database_unavailable\]: PostgreSQL refused the login/)
    expect(missing.stderr).toMatch(
      /^error\[database_unavailable\]: PostgreSQL has no such database/,
    )
    expect(closed.stderr).toMatch(/^error\[database_unavailable\]: PostgreSQL cannot be reached/)
    expect(login.stderr + missing.stderr + closed.stderr).not.toContain('hunter2')
  })
})
