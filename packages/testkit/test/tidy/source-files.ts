import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

/**
 * Every file of the checkout that is, or is about to be, under version control, as a path from the
 * root. Without git the folders are walked instead: the tests need only Node.
 */
export function sourceFiles(): string[] {
  return (listByGit() ?? listByWalking()).filter((path) => existsSync(join(root, path)))
}

export function readSource(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function listByGit(): string[] | undefined {
  // The checkout may belong to a different user than the test process.
  const trust = ['-c', `safe.directory=${root.replace(/\/$/, '')}`]
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  try {
    const output = execFileSync('git', [...trust, ...list], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    })
    return output.split('\0').filter((path) => path !== '')
  } catch {
    return undefined
  }
}

function listByWalking(folder = ''): string[] {
  const ignored = new Set([
    '.git',
    'node_modules',
    'dist',
    'coverage',
    '.punctual',
    '.next',
    'results',
  ])
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (ignored.has(entry.name)) return []
    return entry.isDirectory() ? listByWalking(path) : [path]
  })
}
