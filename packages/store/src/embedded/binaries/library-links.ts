/**
 * Gives the packaged shared libraries the names that the binaries look for. npm cannot carry
 * symbolic links, and the package's own install script may be blocked and must not write into
 * `node_modules` later, so the links are made in the data directory on every start.
 */
import { chmod, mkdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises'
import { basename, delimiter, dirname, join, posix } from 'node:path'

interface LinkEntry {
  /** The library that exists, as `native/lib/libpq.so.5.18`. */
  readonly source: string
  /** The name that is looked for, as `native/lib/libpq.so.5`. */
  readonly target: string
}

/** Makes the links in `folder` and returns the environment that has the loader find them. */
export async function linkLibraries(native: string, folder: string): Promise<NodeJS.ProcessEnv> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o755)
  const lib = join(native, 'lib')
  for (const { source, target } of await readLinkEntries(native)) {
    await ensureLink(join(lib, basename(source)), join(folder, basename(target)))
  }
  // Libraries that load each other search relative to the link they were found by, so the real
  // folder is named too.
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
  const { source, target } = value as Record<string, unknown>
  return typeof source === 'string' && typeof target === 'string'
}

async function ensureLink(library: string, path: string): Promise<void> {
  if ((await readlink(path).catch(() => undefined)) === library) return
  const temporary = join(dirname(path), `.${basename(path)}.tmp`)
  await rm(temporary, { force: true })
  await symlink(library, temporary)
  await rename(temporary, path)
}
