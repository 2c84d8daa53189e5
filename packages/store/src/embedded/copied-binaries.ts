/**
 * Copies PostgreSQL into the data directory for a service user who cannot reach `node_modules`,
 * because a directory above it is closed or an umask made its files private. About 60 MB, made once
 * and used again until the packaged binaries change. A copy only ever appears complete.
 */
import { createHash } from 'node:crypto'
import { chmod, cp, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const prefix = 'binaries-'

export async function copyBinaries(native: string, root: string): Promise<string> {
  const { size, mtimeMs } = await stat(join(native, 'bin', 'postgres'))
  const fingerprint = createHash('sha256').update(`${native} ${size} ${mtimeMs}`).digest('hex')
  const name = `${prefix}${fingerprint.slice(0, 12)}`
  const copy = join(root, name)
  if (await stat(copy).catch(() => undefined)) return copy
  await removeCopies(root)
  const partial = `${copy}.partial`
  await cp(native, partial, {
    recursive: true,
    // Links between libraries are relative, and the copy's must lead to the copy.
    verbatimSymlinks: true,
    filter: (source) => !source.endsWith('.a'),
  })
  await openToEveryone(partial)
  await rename(partial, copy)
  return copy
}

/** Earlier copies and unfinished ones: the caller owns the data directory, so nobody uses them. */
async function removeCopies(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith(prefix)) await rm(join(root, name), { recursive: true, force: true })
  }
}

async function openToEveryone(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  const isBin = folder.endsWith('/bin')
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openToEveryone(path)
    else if (entry.isFile()) await chmod(path, isBin ? 0o755 : 0o644)
  }
}
