import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { findProgram, requireServer } from '../src/servers/index.ts'
import { isServerRequired, requireDefinedServer } from '../src/servers/require-server.ts'

const absent = { title: 'Absent', programs: ['punctual-absent'], install: 'get absent' }

describe('a missing server', () => {
  test('a missing server is an error with the program and the command that installs it', () => {
    expect(() => requireDefinedServer(absent)).toThrow(
      'Absent is not installed: found no punctual-absent. Install it with: get absent',
    )
  })

  test('a missing program has no path, a program on the PATH has one', () => {
    expect(findProgram('punctual-absent')).toBeUndefined()
    expect(findProgram('sh')).toMatch(/\/sh$/)
    expect(findProgram('sh', [])).toBeUndefined()
  })
})

describe('PUNCTUAL_TEST_REQUIRE', () => {
  test.for([
    ['', false],
    ['all', true],
    ['redis', false],
    ['redis, pgbouncer', true],
  ] as const)('%j requires PgBouncer: %j', ([requirement, required]) => {
    expect(isServerRequired('pgbouncer', requirement)).toBe(required)
  })

  test('an unknown server name is refused', () => {
    expect(() => isServerRequired('redis', 'pgbuoncer')).toThrow(
      'PUNCTUAL_TEST_REQUIRE names pgbuoncer; it takes "all" or a list of pgbouncer, redis',
    )
  })
})

describe('a suite whose server is missing', () => {
  test('a suite without its server is skipped and listed with its install command', async () => {
    const { code, output } = await runFixture('')
    expect(code).toBe(0)
    expect(output).toContain('Absent Server is not installed. Install it with: apt-get install')
    expect(output).toContain('skipped: missing-server.fixture.ts > with Absent Server (2 tests)')
    expect(output.match(/skipped: /g)).toHaveLength(1)
    expect(output).toContain('Tests  1 passed | 2 skipped (3)')
    expect(output.trim().split('\n').at(-1)).toContain('Duration')
  })

  test('a suite without its server fails when PUNCTUAL_TEST_REQUIRE is all', async () => {
    const { code, output } = await runFixture('all')
    expect(code).toBe(1)
    expect(output).toContain('with Absent Server > Absent Server is installed')
    expect(output).toContain('Install it with: apt-get install absent-server')
    expect(output).not.toContain('skipped')
  })
})

test('an installed server is found by its programs', () => {
  // Only the table's shape matters here, not which servers this machine has.
  expect(() => requireServer('redis').program('punctual-absent')).toThrow(/setup:servers -- redis/)
})

function runFixture(requirement: string): Promise<{ code: number; output: string }> {
  const vitest = fileURLToPath(new URL('../vitest.mjs', import.meta.resolve('vitest')))
  const config = fileURLToPath(new URL('servers-fixture/vitest.config.ts', import.meta.url))
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))
  const env = { ...Object.fromEntries(environment), PUNCTUAL_TEST_REQUIRE: requirement }
  return new Promise((resolve) => {
    const args = [vitest, 'run', '--config', config]
    execFile(process.execPath, args, { env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code)
      resolve({ code, output: stripVTControlCharacters(stdout + stderr) })
    })
  })
}
