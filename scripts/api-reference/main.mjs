#!/usr/bin/env node
/**
 * Generates docs/reference/api from the comments of the package's exports: `npm run docs:api`. With
 * `--check` it writes nothing, and fails when a page differs from the sources.
 *
 * It reads the built declarations: run `npm run build` first.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readDeclarations } from './declarations.mjs'
import { extract } from './extract.mjs'
import { findProblems } from './find-problems.mjs'
import { pages } from './pages.mjs'
import { renderIndex } from './render-index.mjs'
import { renderPage } from './render-page.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const target = join(root, 'docs/reference/api')
const folder = join(root, 'packages/punctual')

const entries = extract(folder)
const declarations = readDeclarations(entries, folder)
const problems = [
  ...new Set([...entries.flatMap((entry) => entry.problems), ...findProblems(declarations, pages)]),
]
if (problems.length > 0) fail(problems)

const files = render()
if (process.argv.includes('--check')) check(files)
else write(files)

function render() {
  const fileOf = new Map(pages.flatMap(({ file, names }) => names.map((name) => [name, file])))
  const linkFrom = ({ file }, name) => {
    const page = fileOf.get(name)
    if (page === undefined) return undefined
    return `${page === file ? '' : page}#${name.toLowerCase()}`
  }
  const reference = { ...declarations, linkFrom }
  return new Map([
    ['README.md', renderIndex(pages, reference)],
    ...pages.map((page) => [page.file, renderPage(page, reference)]),
  ])
}

function write(made) {
  mkdirSync(target, { recursive: true })
  for (const name of readdirSync(target)) if (!made.has(name)) rmSync(join(target, name))
  for (const [name, text] of made) writeFileSync(join(target, name), text)
}

function check(made) {
  const existing = existsSync(target) ? readdirSync(target) : []
  const names = [...new Set([...made.keys(), ...existing])]
  const read = (name) =>
    existing.includes(name) ? readFileSync(join(target, name), 'utf8') : undefined
  const stale = names.filter((name) => made.get(name) !== read(name))
  if (stale.length === 0) return
  fail(stale.map((name) => `docs/reference/api/${name} is out of date; run \`npm run docs:api\``))
}

function fail(messages) {
  console.error(
    `${messages.join('\n')}\n${messages.length === 1 ? '1 problem' : `${messages.length} problems`}`,
  )
  process.exit(1)
}
