#!/usr/bin/env node
/**
 * Checks that no source of the store asserts a type: `npm run check:assertions [-- root]`.
 *
 * Rows get their types from the generated statements (`*.gen.ts`), the only files that may assert
 * one. Everything else is narrowed, so that the compiler sees every wrong column, null and unit.
 * `as const` asserts nothing.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { lineAt } from './read-imports.mjs'

const SOURCES = 'packages/store/src'
const CHECKED = /(?<!\.gen)\.[cm]?tsx?$/

const root = resolve(process.argv[2] ?? '.')
const files = readdirSync(join(root, SOURCES), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => CHECKED.test(path))
  .sort()
const problems = files.flatMap(problemsIn)
if (problems.length > 0) {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  console.error(`${problems.join('\n')}\n${count}`)
  process.exit(1)
}

function problemsIn(path) {
  const code = readFileSync(join(root, SOURCES, path), 'utf8')
  const found = []
  const report = (index, rule, text) =>
    found.push(`${SOURCES}/${path}:${lineAt(code, index)} [${rule}] ${text}`)
  const visit = (node) => {
    const { start, end, typeAnnotation: type } = node
    if (type.type === 'TSTypeReference' && type.typeName.name === 'const') return
    const written = code.slice(start, end).replaceAll(/\s+/g, ' ')
    const fix = 'use the type of the generated statement, narrow the value, or write a type guard'
    report(type.start, 'assertion', `${written} asserts a type; ${fix}`)
  }
  const { program, errors } = parseSync(path, code)
  for (const { message, labels } of errors) report(labels[0]?.start ?? 0, 'syntax', message)
  new Visitor({ TSAsExpression: visit, TSTypeAssertion: visit }).visit(program)
  return found
}
