import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'

const script = fileURLToPath(new URL('../../../scripts/list-cases.mjs', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))

const list = (at: string, ...flags: string[]) =>
  spawnSync(process.execPath, [script, at, ...flags], { encoding: 'utf8' })

test('each of the 166 cases has a test or a reason to wait', () => {
  const { status, stderr, stdout } = list(root, '--json')
  expect(stderr).toBe('')
  expect(status).toBe(0)
  const { cases, shown } = JSON.parse(stdout)
  expect(cases.length).toBe(166)
  expect(shown).toBeGreaterThan(80)
})

/** The text of a test, assembled here so that this file itself names no case. */
const titled = (numbers: string) => `test('does it (${numbers})', f)`
const pages = (lines: string[]) => ['# Cases', '', '## One', '', ...lines].join('\n')
const twoCases = pages(['1. First.', '2. Second.', '    Waits for: it.'])

describe('the list of cases', () => {
  test('the list has the tests of each case, by single numbers, lists and ranges', () => {
    const { status, stdout } = listOf(pages(['1. First.', '2. Second.', '3. Third.']), [
      ...[titled('case 1'), titled('cases 1, 2-3')],
    ])
    expect(status).toBe(0)
    expect(stdout).toContain(
      `   3. Third.\n      packages/core/src/a.test.ts: does it (${'cases'} 1, 2-3)`,
    )
    expect(stdout).toContain('3 of 3 cases have a test; 0 wait.')
  })

  test.for([
    ['a case with neither', pages(['1. First.']), '', 'case 1 has no test, and does not say'],
    ['a test of no case', twoCases, titled('cases 1, 7'), 'a.test.ts:1 names case 7'],
    ['an obsolete reason', twoCases, titled('cases 1-2'), 'case 2 has a test, and no longer'],
    ['a missing number', pages(['1. First.', '3. Third.']), '', 'case 3 is listed where case 2'],
  ] as const)('the list fails on %s', ([, page, code, problem]) => {
    const { status, stderr } = listOf(page, [code])
    expect(stderr).toContain(problem)
    expect(status).toBe(1)
  })
})

/** Runs the script over a separate tree. */
function listOf(page: string, tests: string[]) {
  const at = mkdtempSync(join(tmpdir(), 'punctual-cases-'))
  onTestFinished(() => rmSync(at, { recursive: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(at, path)), { recursive: true })
    writeFileSync(join(at, path), text)
  }
  write('docs/reliability-cases.md', page)
  write('packages/core/src/a.test.ts', tests.join('\n'))
  return list(at)
}
