/**
 * The packages as published: packed, unpacked into an empty folder with only their declared
 * dependencies, and used there from ESM, from CommonJS and by the compiler.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('../../../..', import.meta.url))
const names = ['core', 'store', 'engine', 'worker', 'api', 'client', 'punctual']
let folder: string
let database: TestDatabase

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'punctual-packages-'))
  const packing = [
    'pack',
    '--pack-destination',
    folder,
    ...names.map((name) => `-w=packages/${name}`),
  ]
  const [made] = await Promise.all([migratedDatabase(), execute('npm', packing, { cwd: root })])
  database = made
  for (const file of await readdir(folder)) await install(file)
  await link('@types/node')
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await database.drop()
})

async function install(file: string): Promise<void> {
  const name = file.replace(/-[\d.]+\.tgz$/, '').replace(/^punctual-/, '@punctual/')
  const target = join(folder, 'node_modules', name)
  await mkdir(target, { recursive: true })
  await execute('tar', ['-xzf', join(folder, file), '-C', target, '--strip-components=1'])
  const { dependencies, optionalDependencies } = JSON.parse(
    await readFile(join(target, 'package.json'), 'utf8'),
  )
  for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies }))
    if (!dependency.startsWith('@punctual/')) await link(dependency)
}

/** Binary packages of other platforms are not installed. */
async function link(dependency: string): Promise<void> {
  const [from, to] = [
    join(root, 'node_modules', dependency),
    join(folder, 'node_modules', dependency),
  ]
  if (!existsSync(from) || existsSync(to)) return
  await mkdir(dirname(to), { recursive: true })
  await symlink(from, to)
}

const WORK = `
  const punctual = await Punctual.start({ databaseUrl: process.env.DATABASE_URL, roles: ['worker'] })
  const double = punctual.handler('double', (n) => n * 2)
  const run = await punctual.runs.waitFor(await double.submit(21))
  console.log(run.state, run.output, typeof ScheduleLab)
  await punctual.stop()
`

async function run(file: string, text: string): Promise<string> {
  await writeFile(join(folder, file), text)
  const env = { ...process.env, DATABASE_URL: database.url, NODE_OPTIONS: '' }
  const { stdout } = await execute(process.execPath, [file], { cwd: folder, env })
  return stdout
}

it('an ESM program imports the packages', async () => {
  const imports = `import { Punctual } from 'punctual'\nimport { ScheduleLab } from 'punctual/testing'\n`
  expect(await run('program.mjs', imports + WORK)).toBe('succeeded 42 function\n')
})

it('a CommonJS program requires the packages', async () => {
  const imports = `const { Punctual } = require('punctual')\nconst { ScheduleLab } = require('punctual/testing')\n`
  expect(await run('program.cjs', `${imports}void (async () => {${WORK}})()`)).toBe(
    'succeeded 42 function\n',
  )
})

it('the packages install the command', async () => {
  const bin = join(folder, 'node_modules/punctual/bin/punctual.js')
  const { stdout } = await execute(process.execPath, [bin, '--version'], { cwd: folder })
  expect(stdout).toContain('0.1.0')
})

it.each([
  ['node16', 'program.mts', ''],
  ['nodenext', 'program.cts', ''],
  ['preserve', 'program.ts', 'bundler'],
])('the compiler finds the types with module %s in %s', async (module, file, resolution) => {
  const program = `
import { type HandlerHandle, Punctual } from 'punctual'
import { ScheduleLab } from 'punctual/testing'
export async function main(): Promise<string> {
  const punctual = await Punctual.start()
  const double: HandlerHandle<number> = punctual.handler('double', (n: number) => n * 2)
  // @ts-expect-error: a payload of another type
  await double.submit('21')
  void new ScheduleLab({ start: '2030-01-01T00:00:00Z' })
  return (await double.submit(21, { key: 'one' })).id
}
`
  const config = {
    compilerOptions: {
      ...{ module, moduleResolution: resolution || module, target: 'es2022', strict: true },
      ...{ noEmit: true, types: ['node'], lib: ['es2024'], skipLibCheck: false },
    },
    files: [file],
  }
  await writeFile(join(folder, file), program)
  await writeFile(join(folder, `${module}.json`), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const said = await execute(process.execPath, [tsc, '-p', `${module}.json`], { cwd: folder }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
  expect(said).toBe('')
})

it('declarations map to their sources, and no tests are published', async () => {
  const published = join(folder, 'node_modules/punctual')
  const map = JSON.parse(await readFile(join(published, 'dist/punctual.d.ts.map'), 'utf8'))
  expect(existsSync(join(published, 'dist', map.sources[0]))).toBe(true)
  for (const name of ['punctual', '@punctual/core', '@punctual/store']) {
    const files = await readdir(join(folder, 'node_modules', name), { recursive: true })
    expect(files.filter((file) => /\.test\.|tsbuildinfo/.test(file))).toEqual([])
  }
})
