/** The documentation matches the code: its tables, commands, links, paths and examples. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Place, transitions } from '@punctual/core/run'
import { expect, test } from 'vitest'
import { readSource, sourceFiles } from './tidy/source-files.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g
const pages = sourceFiles().filter((path) => path.endsWith('.md'))

test('the lifecycle page has the transitions of the code', () => {
  const shown = /<!-- transitions: begin -->\n([\s\S]*)<!-- transitions: end -->/.exec(
    readSource('docs/concepts/lifecycle.md'),
  )?.[1]
  expect(shown).toBe(transitionTable())
})

test('the README is short and opens with the two commands', () => {
  const readme = readSource('README.md')
  expect(readme.trimEnd().split('\n').length).toBeLessThan(150)
  const [start, tests] = [...readme.matchAll(FENCE)].map(([, , code]) => code)
  expect([start, tests]).toEqual(['npm ci && npm start\n', 'npm ci && npm test\n'])
})

test.for(pages)('every link of %s resolves', (page) => {
  expect(linksOf(page).filter((link) => !resolves(page, link))).toEqual([])
})

test('every path that ARCHITECTURE.md names exists', () => {
  const spans = [...prose('ARCHITECTURE.md').matchAll(/`([^`\n]+)`/g)].map(([, span]) => span ?? '')
  const paths = spans.filter((span) =>
    /^[\w.-]+(?:\/[\w.-]+)+$|^\S+\.(?:ts|mjs|sql|md)$/.test(span),
  )
  expect(paths.length).toBeGreaterThan(50)
  expect(paths.filter((path) => !/NNNN/.test(path) && !existsSync(join(root, path)))).toEqual([])
})

test('blocks that name an example file show its exact text', () => {
  const blocks = pages.flatMap((page) => [...readSource(page).matchAll(FENCE)])
  const excerpts = blocks.flatMap(([, , code = '']) => {
    const [, file, excerpt = ''] = /^\/\/ (examples\/\S+)\n([\s\S]+)$/.exec(code) ?? []
    return file ? [{ file, excerpt }] : []
  })
  expect(excerpts.length).toBeGreaterThan(5)
  for (const { file, excerpt } of excerpts) expect(readSource(file)).toContain(excerpt)
})

test('the examples compile against the library', () => {
  expect(compile(examples())).toBe('')
})

function transitionTable(): string {
  const code = (place: Place) => `\`${place}\``
  const rows = transitions.map(
    ({ event, from, to, by, when }) =>
      `| ${event} | ${from.map(code).join(' or ')} | ${code(to)} | ${by} | ${when} |\n`,
  )
  return ['| event | from | to | by | when |\n| --- | --- | --- | --- | --- |\n', ...rows].join('')
}

/** The page without its code blocks. */
function prose(page: string): string {
  return readSource(page).replaceAll(FENCE, '')
}

function linksOf(page: string): string[] {
  const links = [...prose(page).matchAll(LINK)].map(([, link]) => link ?? '')
  return links.filter((link) => !/^[a-z]+:/.test(link))
}

function resolves(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || anchorsOf(target).includes(anchor)
}

/** The anchors that GitHub derives from headings. */
function anchorsOf(page: string): string[] {
  return [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** The TypeScript blocks of README and docs, by page and line. */
function examples(): Map<string, string> {
  const found = new Map<string, string>()
  for (const page of pages.filter((path) => path === 'README.md' || path.startsWith('docs/'))) {
    const text = readSource(page)
    for (const { index, 1: language, 2: code = '' } of text.matchAll(FENCE)) {
      const line = text.slice(0, index).split('\n').length
      // Other blocks may import a block that begins with its file name.
      const [, file] = /^\/\/ ([\w.-]+\.ts)\n/.exec(code) ?? []
      const name = file ?? `${page.replaceAll('/', '-').replace(/\.md$/, '')}-line-${line}.mts`
      if (found.has(name)) throw new Error(`${page}: another page already has a file ${name}`)
      if (language === 'ts') found.set(name, `${code}export {}\n`)
    }
  }
  return found
}

/** The declarations that examples may assume. */
const GIVEN = `
declare const punctual: import('punctual').Punctual
declare const sendEmail: import('punctual').HandlerHandle<{ to: string }>
`

/** Returns the compiler's output; empty on success. */
function compile(files: ReadonlyMap<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-docs-'))
  const compilerOptions = {
    ...{ noEmit: true, composite: false, incremental: false },
    ...{ declaration: false, declarationMap: false, sourceMap: false, noUnusedLocals: false },
    customConditions: ['@punctual/source'],
    typeRoots: [join(root, 'node_modules/@types')],
    paths: {
      punctual: [join(root, 'packages/punctual/src/index.ts')],
      'punctual/testing': [join(root, 'packages/punctual/src/testing/index.ts')],
    },
  }
  const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions, include: ['*'] }
  const bin = join(
    dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin/tsc',
  )
  try {
    for (const [name, text] of files) writeFileSync(join(folder, name), text)
    // Libraries that examples use besides Punctual.
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'given.d.ts'), GIVEN)
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    execFileSync(process.execPath, [bin, '-p', folder], { encoding: 'utf8', cwd: folder })
    return ''
  } catch (error) {
    return (error as { stdout?: string }).stdout || String(error)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
