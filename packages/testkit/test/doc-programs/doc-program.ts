/**
 * Programs in the documentation, run unchanged. A code block whose first line is a comment with a
 * file name is a program. It runs on the sources, in a folder that the test removes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { readSource } from '../tidy/source-files.ts'

const FENCE = /^```ts\n([\s\S]*?)^```$/gm
const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** Returns the text of the block with this file name. */
export function docProgram(page: string, file: string): string {
  const blocks = [...readSource(page).matchAll(FENCE)].map(([, code = '']) => code)
  const found = blocks.filter((code) => code.startsWith(`// ${file}\n`))
  if (found.length === 1) return found[0] as string
  throw new Error(`${page} has ${found.length} programs named ${file}; it must have exactly one.`)
}

/** Runs a program of the documentation in this process and returns what it printed. */
export async function runDocProgram(page: string, file: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-doc-program-'))
  const path = join(folder, file)
  const printed: string[] = []
  const { log } = console
  console.log = (...values: unknown[]) => void printed.push(values.map(String).join(' '))
  try {
    writeFileSync(path, resolved(docProgram(page, file)))
    await import(/* @vite-ignore */ pathToFileURL(path).href)
    return printed
  } finally {
    console.log = log
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Rewrites imports so that they resolve from any folder. */
function resolved(code: string): string {
  const require = createRequire(join(root, 'packages/punctual/package.json'))
  return code.replaceAll(/(from )'([^'.][^']*)'/g, (all, from: string, name: string) => {
    if (name.startsWith('node:')) return all
    const source = { punctual: 'index.ts', 'punctual/testing': 'testing/index.ts' }[name]
    const path = source ? join(root, 'packages/punctual/src', source) : require.resolve(name)
    return `${from}${JSON.stringify(path)}`
  })
}
