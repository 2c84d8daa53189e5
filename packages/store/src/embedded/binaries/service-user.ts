/** Finds the user to switch to when this process is root, and checks for a passwd entry. */
import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import type { Account } from './launcher.ts'

/** PostgreSQL's own user comes first (`_postgres` on macOS): file listings then look familiar. */
const names = ['postgres', '_postgres', 'nobody']

export async function findServiceUser(passwdFile = '/etc/passwd'): Promise<Account | undefined> {
  const content = await readFile(passwdFile, 'utf8').catch(() => '')
  const accounts = new Map(content.split('\n').map(parseEntry))
  return names.map((name) => accounts.get(name)).find((account) => account !== undefined)
}

/** `name:password:uid:gid:...`; returns no account for root and malformed entries. */
function parseEntry(line: string): [name: string, account: Account | undefined] {
  const [name = '', , uidText, gidText] = line.split(':')
  const [uid, gid] = [Number(uidText), Number(gidText)]
  return [name, uid > 0 && gid > 0 ? { uid, gid } : undefined]
}

/** `initdb` requires one; with `docker run --user 1234` it is usually missing. */
export function hasPasswdEntry(): boolean {
  try {
    userInfo()
    return true
  } catch {
    return false
  }
}
