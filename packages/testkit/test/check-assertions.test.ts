import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const script = fileURLToPath(new URL('../../../scripts/check-assertions.mjs', import.meta.url))

const STORE = 'packages/store/src'
const API = 'packages/api/src'

/** Runs the check on a repository that has only this source. */
function check(
  code: string,
  path = `${STORE}/room/a.ts`,
): { status: number | null; problems: string } {
  const root = mkdtempSync(join(tmpdir(), 'assertions-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const folder of [STORE, API]) mkdirSync(join(root, folder), { recursive: true })
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, code)
  const { status, stderr } = spawnSync(process.execPath, [script, root], { encoding: 'utf8' })
  return { status, problems: stderr }
}

test.for([
  ['a cast', 'export const a = row as Row', 'row as Row'],
  ['a cast to unknown', 'export const a = row as unknown', 'row as unknown'],
  ['a cast in angle brackets', 'export const a = <Row>row', '<Row>row'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source file.
  ['a cast in a template', 'export const a = `${(b as Row).id}`', 'b as Row'],
  ['a cast of a list', 'export const a = (b as string[]).map(f)', 'b as string[]'],
] as const)('%s fails the check', ([, code, written]) => {
  const { status, problems } = check(`\n${code}\n`)
  expect(status).toBe(1)
  expect(problems).toContain(
    `packages/store/src/room/a.ts:2 [assertion] ${written} asserts a type; use the type of`,
  )
})

test('a cast over several lines is reported where its type is', () => {
  const { problems } = check('export const a = f(\n  b,\n) as [\n  number,\n]\n')
  expect(problems).toContain('a.ts:3 [assertion] f( b, ) as [ number, ] asserts a type')
})

test('a cast in a test of the store fails the check', () => {
  expect(check('export const a = row as Row', `${STORE}/room/a.test.ts`).status).toBe(1)
})

test('a source that cannot be parsed fails the check', () => {
  expect(check('export const = 1').problems).toContain('a.ts:1 [syntax]')
})

test.for([
  ['as const', 'export const a = [1] as const'],
  [
    'a renamed import',
    "import { a as b } from './b.ts'\nexport { b as c }\nexport * as d from './d.ts'",
  ],
  ['satisfies', 'export const a = { b: 1 } satisfies Row'],
  ['a type guard', 'export const a = (row: unknown): row is Row => true'],
  ['the words in a comment and a string', "/** the same as Row */\nexport const a = 'x as Row'"],
] as const)('%s passes the check', ([, code]) => {
  expect(check(code)).toEqual({ status: 0, problems: '' })
})

test('a generated file may assert types', () => {
  expect(check('export const a = row as Row', `${STORE}/room/statements.gen.ts`).status).toBe(0)
})

test('a cast in the API fails the check', () => {
  const { problems } = check('export const a = b as Body', `${API}/routes/a.ts`)
  expect(problems).toContain('packages/api/src/routes/a.ts:1 [assertion] b as Body asserts a type')
})

test('a file passes with the cast that it is allowed, and fails with another one', () => {
  const path = `${API}/add-routes.ts`
  const allowed = 'referencePage(app.swagger() as ApiDocument)'
  expect(check(allowed, path).status).toBe(0)
  expect(check(`${allowed}; page as string`, path).problems).toContain('page as string')
})

test.for([
  ['object', 'export interface A { get(id: string): Promise<object | null> }'],
  ['object', 'type Answer = Promise<readonly object[]>'],
  ['Promise<unknown>', 'export interface A { get(id: string): Promise<unknown> }'],
  ['readonly any[]', 'export interface A { readonly list: () => readonly any[] }'],
  ['AsyncIterable<unknown>', 'type Lines = AsyncIterable<unknown>'],
] as const)('a port that answers %s fails the check', ([written, code]) => {
  for (const path of [`${API}/ports/a.ts`, `${API}/worker-sessions/ports.ts`]) {
    const { status, problems } = check(code, path)
    expect(status).toBe(1)
    expect(problems).toContain(`${path}:1 [answer]`)
    expect(problems).toContain(`${written} says nothing; name a read model of core`)
  }
  expect(check(code, `${API}/routes/a.ts`).status).toBe(0)
})

test('a port that takes any value and answers a read model passes the check', () => {
  const code = 'export interface A { set(name: string, value: unknown): Promise<SecretSet> }'
  expect(check(code, `${API}/ports/a.ts`)).toEqual({ status: 0, problems: '' })
})
