import { describe, expect, test } from 'vitest'
import {
  crowdedFolders,
  RELATIVE_OPENINGS_MAX,
  type Rule,
  relativeOpenings,
  rules,
  SOURCES_PER_FOLDER_MAX,
  unnamedFolders,
} from './tidy/rules.ts'
import { readSource, sourceFiles } from './tidy/source-files.ts'

/** These files quote what the rules forbid. */
const QUOTING = [
  'packages/testkit/test/check-boundaries.test.ts',
  'packages/testkit/test/tidy.test.ts',
  'packages/testkit/test/tidy/rules.ts',
]

describe('the repository is tidy', () => {
  const files = sourceFiles().filter((path) => !QUOTING.includes(path))

  test('its files are found', () => {
    expect(files).toContain('package.json')
    expect(files.filter((path) => path.includes('node_modules'))).toEqual([])
  })

  for (const rule of rules) {
    test(rule.title, () => {
      expect(files.flatMap((path) => problemsOf(rule, path, () => readSource(path)))).toEqual([])
    })
  }

  test(`no folder has more than ${SOURCES_PER_FOLDER_MAX} source files`, () => {
    expect(crowdedFolders(files)).toEqual([])
  })

  test('ARCHITECTURE.md names every source folder and wraps at 100 columns', () => {
    const architecture = readSource('ARCHITECTURE.md')
    expect(unnamedFolders(files, architecture)).toEqual([])
    const long = architecture
      .split('\n')
      .filter((line) => line.length > 100 && !/^[|│ ]/.test(line))
    expect(long).toEqual([])
  })

  test(`at most ${RELATIVE_OPENINGS_MAX} comments open with a relative clause`, () => {
    const found = relativeOpenings(files, readSource)
    expect(found.slice(RELATIVE_OPENINGS_MAX), `${found.length} in all`).toEqual([])
  })

  test('no two migrations have the same number', () => {
    const numbers = files.flatMap((path) => path.match(/store\/migrations\/(\d{4})_/)?.[1] ?? [])
    expect(numbers).toEqual([...new Set(numbers)])
  })
})

test('a crowded folder is found; tests beside the code do not count', () => {
  const sources = Array.from({ length: 21 }, (_, n) => `packages/core/src/run/a${n}.ts`)
  expect(crowdedFolders(sources)).toEqual([
    'packages/core/src/run holds 21 sources; group them by what they are about',
  ])
  expect(crowdedFolders([...sources.slice(1), 'packages/core/src/run/a0.test.ts'])).toEqual([])
})

test('a source folder that ARCHITECTURE.md does not name is found', () => {
  const paths = ['packages/core/src/run/run.ts', 'packages/core/src/new/a.ts']
  expect(unnamedFolders(paths, '`packages/core/src/run`')).toEqual([
    'ARCHITECTURE.md does not name packages/core/src/new; say what it holds',
  ])
})

describe('an untidy file is found', () => {
  test('when it has too many lines, unless it is generated', () => {
    const text = 'x\n'.repeat(401)
    expect(problemsIn('packages/core/src/a.ts', text)).toEqual([
      'packages/core/src/a.ts has 401 lines; split it by concept',
    ])
    expect(problemsIn('packages/core/src/a.ts', text.slice(2))).toEqual([])
    expect(problemsIn('packages/api/src/api.gen.ts', text)).toEqual([])
  })

  test.for([
    ['packages/core/src/a.test.ts', '\ntest.only("x", f)', 'a.test.ts:2 test.only;'],
    ['packages/core/src/a.test.ts', 'describe.skip("x", f)', 'a.test.ts:1 describe.skip;'],
    ['packages/core/src/a.test.ts', 'test.concurrent.skipIf(x)(f)', 'test.concurrent.skipIf;'],
    ['scripts/a.sh', '# TODO: more', 'scripts/a.sh:1 TODO;'],
    ['packages/core/src/a.test.ts', 'setTimeout(f, 5)', 'a.test.ts:1 setTimeout(); await'],
    ['packages/core/test/a.ts', '// waits: long\n\nawait sleep(5)', 'test/a.ts:3 sleep();'],
    ['bench/package-lock.json', '"resolved": "https://x"', 'keep omit-lockfile'],
    ['packages/store/queries/runs/get-run.sql', '-- Locks: none\nselect 1', 'name Parameters, Ret'],
    ['packages/store/queries/runs/get-run.sql', 'select 1 -- Parameters', 'name Parameters, Ret'],
    ['packages/store/queries/parts/finish.sql', '-- The end.\n', 'does not name Expects'],
    ['packages/store/migrations/1_create_runs.sql', '', 'is not named NNNN_verb_noun.sql'],
    ['packages/store/migrations/0001_runs.sql', '', 'is not named NNNN_verb_noun.sql'],
    ['packages/core/src/a.ts', '// the run goes on', '"goes on"; write continues'],
    ['docs/guides/runs.md', 'priority must be 1, but 2 came.', 'write got'],
    ['packages/core/src/a.ts', 'runs.map((it) => it.id)', 'name the value'],
    ['packages/core/src/a.ts', 'const told = 1', 'name the value'],
    ['packages/core/src/types.ts', '', 'name it after the one concept'],
    ['packages/core/src/time-utils.ts', '', 'name it after the one concept'],
    ['packages/punctual/src/jobs/sync.ts', 'store.replica.read(f)', 'replica; read the primary'],
    ['packages/punctual/src/a.ts', 'x = new AsyncLocalStorage<T>()', 'add a member to the context'],
    ['packages/store/src/submit/a.ts', 'database.ambient.transaction', 'take the transaction as'],
    ['packages/store/src/groups/a.ts', 'this.#clientPool.pinned(f)', 'take the transaction as'],
  ] as const)('%s: %j', ([path, text, problem]) => {
    expect(problemsIn(path, text)).toEqual([expect.stringContaining(problem)])
  })

  test.for([
    ['packages/core/src/a.test.ts', 'setTimeout(f, 5) // waits: for the lease to expire'],
    ['packages/core/src/a.test.ts', '// waits: for the lease to expire\nawait sleep(5)'],
    ['packages/worker/src/a.ts', 'setTimeout(f, 5)'],
    ['packages/core/src/a.test.ts', '// skips: needs Linux\ntest.runIf(linux)(f)'],
    ['packages/store/src/a.ts', 'await slots.skip(run)'],
    ['packages/store/queries/runs/get-run.sql', '-- Parameters Returns Locks Index\nselect 1'],
    ['packages/store/migrations/0001_create_runs.sql', ''],
    ['packages/store/src/pg-types.ts', ''],
    ['packages/punctual/src/queues/stats.ts', 'store.replica.read(f)'],
    ['packages/store/src/submit/a.ts', 'this.#clientPool.join(transaction, f)'],
    ['docs/guide.md', 'TODO'],
  ] as const)('%s: %j is fine', ([path, text]) => {
    expect(problemsIn(path, text)).toEqual([])
  })
})

function problemsIn(path: string, text: string): string[] {
  return rules.flatMap((rule) => problemsOf(rule, path, () => text))
}

function problemsOf(rule: Rule, path: string, read: () => string): string[] {
  if (!rule.applies(path)) return []
  return rule
    .problems({ path, text: read() })
    .map((problem) => (problem.startsWith(path) ? problem : `${path} ${problem}`))
}
