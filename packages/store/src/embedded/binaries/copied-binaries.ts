/**
 * Copies PostgreSQL into the data directory for a service user who cannot read `node_modules`,
 * because a parent directory is closed or an umask made its files private. The copy takes about
 * 60 MB and is reused until the packaged binaries change. It is renamed when complete, so a partial
 * copy is never used.
 */
import { createHash } from 'node:crypto'
import { chmod, copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

const prefix = 'binaries-'

export async function copyBinaries(native: string, root: string): Promise<string> {
  const { size, mtimeMs } = await stat(join(native, 'bin', 'postgres'))
  const fingerprint = createHash('sha256').update(`${native} ${size} ${mtimeMs}`).digest('hex')
  const copy = join(root, `${prefix}${fingerprint.slice(0, 12)}`)
  if (await stat(copy).catch(() => undefined)) return copy
  await removeCopies(root)
  const partial = `${copy}.partial`
  await copyTree(native, partial)
  await rename(partial, copy)
  return copy
}

/** Removes earlier and partial copies: the caller owns the data directory, so none is in use. */
async function removeCopies(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith(prefix)) await rm(join(root, name), { recursive: true, force: true })
  }
}

/** Copies plain files, readable by everyone. Skips links: `library-links.ts` creates them. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to)
  await chmod(to, 0o755)
  const mode = basename(from) === 'bin' ? 0o755 : 0o644
  const entries = await readdir(from, { withFileTypes: true })
  const copied = entries.map(async (entry) => {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) return copyTree(source, target)
    if (!entry.isFile() || entry.name.endsWith('.a')) return
    await copyFile(source, target)
    await chmod(target, mode)
  })
  await Promise.all(copied)
}
