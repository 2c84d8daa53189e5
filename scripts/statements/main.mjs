#!/usr/bin/env node
/**
 * Writes `statements.gen.ts` of every room of the store: `npm run statements`. It prepares each
 * statement on a freshly migrated database. With `--check` it only reports files out of date.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { TestStore, testServer } from '@punctual/testkit'
import { readStatement } from '../../packages/store/src/sql/source.ts'
import { describeStatements } from './describe.mjs'
import { readHeader } from './read-header.mjs'
import { renderRoom } from './render.mjs'

const queries = fileURLToPath(new URL('../../packages/store/queries/', import.meta.url))
const sources = fileURLToPath(new URL('../../packages/store/src/', import.meta.url))

const paths = readdirSync(queries, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.sql') && !file.startsWith('parts'))
  .map((file) => file.slice(0, -4).replaceAll('\\', '/'))
  .sort()
const texts = new Map(paths.map((path) => [path, readStatement(path)]))

const described = await describeAll()
const problems = []
for (const room of new Set(paths.map((path) => path.split('/')[0]))) {
  const target = `${sources}${room}/statements.gen.ts`
  const members = paths.filter((path) => path.startsWith(`${room}/`))
  const statements = members.map((path) => {
    const header = readHeader(readFileSync(`${queries}${path}.sql`, 'utf8'))
    return { path, header, text: texts.get(path), ...described.get(path) }
  })
  let rendered
  try {
    rendered = renderRoom(statements)
  } catch (error) {
    problems.push(error.message)
    continue
  }
  if (!process.argv.includes('--check')) writeFileSync(target, rendered)
  else if (!existsSync(target) || readFileSync(target, 'utf8') !== rendered)
    problems.push(`packages/store/src/${room}/statements.gen.ts is out of date: npm run statements`)
}
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1

async function describeAll() {
  const store = await TestStore.open()
  try {
    return await describeStatements(store.sql, texts)
  } finally {
    await store.close()
    await (await testServer()).stop()
  }
}
