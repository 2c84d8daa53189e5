/** The tests in the testing guide, each run by its test runner in a separate process. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startTestServer } from 'punctual/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { docProgram } from './doc-program.ts'

const PAGE = 'docs/guides/testing.md'
const root = fileURLToPath(new URL('../../../..', import.meta.url))
const run = promisify(execFile)
let folder: string

// A separate process with its own test runner and server is slow while other tests use the cores.
vi.setConfig({ testTimeout: 180_000 })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'punctual-testing-guide-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const file of ['sign-up.ts', 'sign-up.test.ts', 'charge.test.ts', 'global-setup.ts'])
    writeFileSync(join(folder, file), patient(docProgram(PAGE, file)))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Raises the time limits, for a machine that is busy with other tests. */
function patient(code: string): string {
  return code
    .replace('startTestPunctual()', 'startTestPunctual({ timeoutMs: 60_000 })')
    .replace('startTestPunctual({ inline', 'startTestPunctual({ timeoutMs: 60_000, inline')
}

/** The environment of a user's process: without the settings of this run. */
function environment() {
  const { PUNCTUAL_TEST_DATABASE_URL, NODE_OPTIONS, VITEST, ...env } = process.env
  return { ...env, NODE_ENV: 'test' }
}

test('the vitest example passes on the server of a global setup', async () => {
  const bin = join(
    dirname(createRequire(import.meta.url).resolve('vitest/package.json')),
    'vitest.mjs',
  )
  const config = {
    test: {
      include: ['sign-up.test.ts'],
      globalSetup: ['global-setup.ts'],
      testTimeout: 60_000,
      hookTimeout: 60_000,
    },
  }
  writeFileSync(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify(config)}`)
  const args = [bin, 'run', '--root', folder]
  const { stdout } = await run(process.execPath, args, { cwd: folder, env: environment() })
  expect(stdout).toMatch(/Tests .*1 passed/)
})

test('the node:test example passes', async () => {
  const args = ['--import', 'tsx', '--test', '--test-reporter=tap', 'charge.test.ts']
  const { stdout } = await run(process.execPath, args, { cwd: folder, env: environment() })
  expect(stdout).toMatch(/^# pass 1$/m)
})

test('a process that exits without stop leaves nothing, and a later run sweeps up after a kill', async () => {
  const program = `import { startTestServer } from 'punctual/testing'
    const { url } = await startTestServer()
    console.log(url)
    process.exit(0)`
  writeFileSync(join(folder, 'forgetful.mjs'), program)
  const child = execFile(process.execPath, ['forgetful.mjs'], { cwd: folder, env: environment() })
  await new Promise((resolve) => child.once('exit', resolve))
  expect(child.exitCode).toBe(0)
  expect(directoriesOf(child.pid)).toEqual([])
  mkdirSync(join(tmpdir(), `punctual-throwaway-${child.pid}-left`))
  const server = await startTestServer()
  expect(directoriesOf(child.pid)).toEqual([])
  expect(directoriesOf(process.pid)).toHaveLength(1)
  await server.stop()
  expect(directoriesOf(process.pid)).toEqual([])
})

function directoriesOf(pid: number | undefined): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`punctual-throwaway-${pid}-`))
}
