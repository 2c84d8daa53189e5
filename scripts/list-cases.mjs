#!/usr/bin/env node
/**
 * Prints each case of docs/reliability-cases.md with the tests that cover it, or with what it waits
 * for: `npm run cases [-- --json] [root]`.
 *
 * Tests name their cases in their titles, so that no list has to be maintained. Exits with 1 and the
 * reasons when a case has neither tests nor a reason to wait, or has both, and when a title names an
 * unknown case.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'

const CASE = /^(\d+)\. (.+)$/
const NOTE = /^ {4}(Waits for|Left out): (.+)$/
const NUMBERS = /\(cases? (\d+(?:(?:, |-)\d+)*)\)/g
const TEXT = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g

const args = process.argv.slice(2)
const asJson = args.includes('--json')
const root = resolve(args.find((arg) => !arg.startsWith('--')) ?? '.')
const { sections, problems } = readCases()
const cases = sections.flatMap(({ cases }) => cases)
const known = new Map(cases.map((entry) => [entry.number, entry]))
for (const test of readTitles()) {
  for (const number of test.cases) {
    const entry = known.get(number)
    if (entry) entry.tests.push({ file: test.file, line: test.line, title: test.title })
    else problems.push(`${test.file}:${test.line} names case ${number}, which does not exist`)
  }
}
for (const { number, tests, waitsFor } of cases) {
  if (tests.length === 0 && !waitsFor)
    problems.push(`case ${number} has no test, and does not say what it waits for`)
  if (tests.length > 0 && waitsFor)
    problems.push(`case ${number} has a test, and no longer waits: ${tests[0].file}`)
}
print()
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
}

function readCases() {
  const sections = []
  const problems = []
  let last = null
  for (const line of readFileSync(join(root, 'docs/reliability-cases.md'), 'utf8').split('\n')) {
    const [, title] = line.match(/^## (.+)$/) ?? []
    if (title) sections.push({ title, cases: [] })
    const [, number, text] = line.match(CASE) ?? []
    if (number) {
      const expected = (last?.number ?? 0) + 1
      if (Number(number) !== expected)
        problems.push(`case ${number} is listed where case ${expected} is expected`)
      last = { number: Number(number), case: text, tests: [], waitsFor: null, leftOut: null }
      sections.at(-1).cases.push(last)
    }
    const [, kind, note] = line.match(NOTE) ?? []
    if (kind === 'Waits for') last.waitsFor = note
    if (kind === 'Left out') last.leftOut = note
  }
  return { sections, problems }
}

/** The strings in test files that name cases. */
function* readTitles() {
  for (const file of testFiles(join(root, 'packages'))) {
    const lines = readFileSync(file, 'utf8').split('\n')
    for (const [i, line] of lines.entries()) {
      if (!line.includes('(case')) continue
      for (const [, ...quoted] of line.matchAll(TEXT)) {
        const title = quoted.find((text) => text !== undefined)
        const cases = [...title.matchAll(NUMBERS)].flatMap(([, list]) => numbersOf(list))
        const path = relative(root, file).replaceAll(sep, '/')
        if (cases.length > 0) yield { file: path, line: i + 1, title, cases }
      }
    }
  }
}

/** `9, 31-34` as numbers. */
function numbersOf(list) {
  return list.split(', ').flatMap((part) => {
    const [from, to = from] = part.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, i) => from + i)
  })
}

function* testFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules' && entry.name !== 'dist') yield* testFiles(path)
    } else if (entry.name.endsWith('.test.ts')) yield path
  }
}

function print() {
  const shown = cases.filter(({ tests }) => tests.length > 0).length
  if (asJson) return console.log(JSON.stringify({ cases, shown }))
  const lines = sections.flatMap(({ title, cases }) => ['', title, ...cases.flatMap(linesOf)])
  lines.push('', `${shown} of ${cases.length} cases have a test; ${cases.length - shown} wait.`)
  console.log(lines.slice(1).join('\n'))
}

function linesOf({ number, case: text, tests, waitsFor, leftOut }) {
  return [
    `${String(number).padStart(4)}. ${text}`,
    ...tests.map(({ file, title }) => `      ${file}: ${title}`),
    ...(leftOut ? [`      left out: ${leftOut}`] : []),
    ...(waitsFor ? [`      waits for: ${waitsFor}`] : []),
  ]
}
