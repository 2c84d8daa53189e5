/**
 * Gives a directory tree to the user that the server runs as. That user changes when a data
 * directory moves between machines that allow different launchers. Only root ever needs this.
 */
import { lchown, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account } from './launcher.ts'

export async function giveTo(owner: Account | undefined, path: string): Promise<void> {
  if (!owner) return
  const { uid, gid } = await lstat(path)
  if (uid === owner.uid && gid === owner.gid) return
  await giveTree(owner, path)
}

/** Changes the top last: when the top has the right owner, so does the rest of the tree. */
async function giveTree(owner: Account, path: string): Promise<void> {
  const entry = await lstat(path)
  if (entry.isDirectory()) {
    for (const name of await readdir(path)) await giveTree(owner, join(path, name))
  }
  await lchown(path, owner.uid, owner.gid)
}
