/**
 * Links the packaged shared libraries under the names that the binaries look for. npm packages
 * cannot contain symbolic links. The package's install script may be blocked, and `node_modules`
 * must not be changed later, so every start creates the links in the data directory.
 */
import { chmod, mkdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises'
import { basename, delimiter, dirname, join, posix } from 'node:path'

interface LinkEntry {
  /** The existing library, such as `native/lib/libpq.so.5.18`. */
  readonly source: string
  /** The name that the loader looks for, such as `native/lib/libpq.so.5`. */
  readonly target: string
}

/** Creates the links in `folder` and returns the environment that makes the loader find them. */
export async function linkLibraries(native: string, folder: string): Promise<NodeJS.ProcessEnv> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o755)
  const lib = join(native, 'lib')
  for (const { source, target } of await readLinkEntries(native)) {
    await ensureLink(join(lib, basename(source)), join(folder, basename(target)))
  }
  // Libraries that load each other search relative to the link that led to them, so the path also
  // has to include the real folder.
  const path = [folder, lib].join(delimiter)
  if (process.platform === 'darwin') return { DYLD_LIBRARY_PATH: path }
  return process.platform === 'linux' ? { LD_LIBRARY_PATH: path } : {}
}

async function readLinkEntries(native: string): Promise<LinkEntry[]> {
  const content = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const value: unknown = JSON.parse(content)
  if (!Array.isArray(value)) return []
  return value.filter(isLinkEntry).filter(({ target }) => posix.dirname(target) === 'native/lib')
}

function isLinkEntry(value: unknown): value is LinkEntry {
  if (typeof value !== 'object' || value === null) return false
  const { source, target }: Partial<Record<keyof LinkEntry, unknown>> = value
  return typeof source === 'string' && typeof target === 'string'
}

async function ensureLink(library: string, path: string): Promise<void> {
  if ((await readlink(path).catch(() => undefined)) === library) return
  const temporary = join(dirname(path), `.${basename(path)}.tmp`)
  await rm(temporary, { force: true })
  await symlink(library, temporary)
  await rename(temporary, path)
}
