#!/usr/bin/env node
/**
 * Checks that no source of the store and the API asserts a type, and that the ports of the API say
 * what they answer: `npm run check:assertions [-- root]`.
 *
 * Rows get their types from the generated statements (`*.gen.ts`), answers from the read models of
 * core, requests from their schemas. Everything else is narrowed, so that the compiler sees every
 * wrong column, member, null and unit. `as const` asserts nothing.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { lineAt } from './read-imports.mjs'

const FOLDERS = ['packages/api/src', 'packages/store/src']
const CHECKED = /(?<!\.gen)\.[cm]?tsx?$/
/** The one other assertion: the OpenAPI plugin types its document as any version of OpenAPI. */
const ALLOWED = { 'packages/api/src/add-routes.ts': ['app.swagger() as ApiDocument'] }
const PORTS = /^packages\/api\/src\/(ports\/|worker-sessions\/ports\.ts$)/

const root = resolve(process.argv[2] ?? '.')
const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => CHECKED.test(path))
    .sort(),
)
const problems = files.flatMap(problemsIn)
if (problems.length > 0) {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  console.error(`${problems.join('\n')}\n${count}`)
  process.exit(1)
}

function problemsIn(path) {
  const code = readFileSync(join(root, path), 'utf8')
  const found = []
  const report = (index, rule, text) =>
    found.push(`${path}:${lineAt(code, index)} [${rule}] ${text}`)
  const visit = (node) => {
    const { start, end, typeAnnotation: type } = node
    if (type.type === 'TSTypeReference' && type.typeName.name === 'const') return
    const written = textOf({ start, end })
    if (ALLOWED[path]?.includes(written)) return
    const fix = 'use the type of the statement or schema, narrow the value, or write a type guard'
    report(type.start, 'assertion', `${written} asserts a type; ${fix}`)
  }
  const textOf = ({ start, end }) => code.slice(start, end).replaceAll(/\s+/g, ' ')
  const vague = (type) => {
    if (type && /\b(any|unknown)\b/.test(textOf(type)))
      report(type.start, 'answer', `${textOf(type)} says nothing; name a read model of core`)
  }
  const { program, errors } = parseSync(path, code)
  for (const { message, labels } of errors) report(labels[0]?.start ?? 0, 'syntax', message)
  new Visitor({ TSAsExpression: visit, TSTypeAssertion: visit }).visit(program)
  if (PORTS.test(path))
    new Visitor({
      TSObjectKeyword: (type) =>
        report(type.start, 'answer', 'object says nothing; name a read model of core'),
      TSMethodSignature: ({ returnType }) => vague(returnType),
      TSFunctionType: ({ returnType }) => vague(returnType),
      TSTypeAliasDeclaration: ({ typeAnnotation }) => vague(typeAnnotation),
    }).visit(program)
  return found
}
