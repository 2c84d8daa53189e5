#!/usr/bin/env node
/**
 * Writes the tables of options and flags into the pages that have a marker for them, from the
 * tables of core: `npm run docs:options`. With `--check` it only reports which pages are out of
 * date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fillPage } from './fill-page.mjs'

const pages = ['guides/library.md', 'guides/schedules.md', 'reference/cli.md']

const stale = []
for (const page of pages) {
  const file = fileURLToPath(new URL(`../../docs/${page}`, import.meta.url))
  const text = readFileSync(file, 'utf8')
  const filled = fillPage(page, text)
  if (filled === text) continue
  if (process.argv.includes('--check')) stale.push(page)
  else writeFileSync(file, filled)
}
if (stale.length > 0) {
  for (const page of stale) console.error(`docs/${page} is out of date: npm run docs:options`)
  process.exitCode = 1
}
