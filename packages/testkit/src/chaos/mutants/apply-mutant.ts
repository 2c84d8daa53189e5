/**
 * Copies the built product and applies a mutant's edits to the copy, in which the campaign's
 * programs run: packages are copied, and their other dependencies are linked.
 */
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Edit, Mutant } from './mutant.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const PACKAGES = [
  ...(['core', 'store', 'engine', 'worker', 'api', 'client', 'punctual', 'testkit'] as const),
]
/** The parts of an installed package. */
const PARTS = ['package.json', 'dist', 'queries', 'migrations']

/** Returns the folder of the children's programs in the copy. */
export async function applyMutant(mutant: Mutant, directory: string): Promise<string> {
  const modules = join(directory, 'node_modules')
  await mkdir(join(modules, '@punctual'), { recursive: true })
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name === '@punctual' || name === 'punctual' || name.startsWith('.')) continue
    await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  for (const name of PACKAGES) await copyPackage(name, folderOf(modules, name))
  for (const edit of mutant.edits) await applyEdit(mutant, edit, modules)
  return join(folderOf(modules, 'testkit'), 'dist/chaos/children')
}

function folderOf(modules: string, name: string): string {
  return name === 'punctual' ? join(modules, name) : join(modules, '@punctual', name)
}

async function copyPackage(name: string, to: string): Promise<void> {
  const from = join(root, 'packages', name)
  const present = await readdir(from)
  for (const part of PARTS.filter((name) => present.includes(name)))
    await cp(join(from, part), join(to, part), { recursive: true })
}

async function applyEdit(mutant: Mutant, edit: Edit, modules: string): Promise<void> {
  const [name, ...rest] = edit.file.split('/')
  const file = join(folderOf(modules, name as string), ...rest)
  await writeFile(file, editedText(mutant, edit, await readFile(file, 'utf8')))
}

export function editedText(mutant: Mutant, { file, find, replace }: Edit, text: string): string {
  const [before, after, ...more] = text.split(find)
  if (after === undefined || more.length > 0)
    throw new Error(
      `The mutant ${mutant.name} expects its text exactly once in ${file}; found it ${
        after === undefined ? 'nowhere' : 'more than once'
      }. Fix the mutant.`,
    )
  return `${before}${replace}${after}`
}
