/** Looks up who to become when this process is root, and whether this user has a name at all. */
import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import type { Account } from './launcher.ts'

/** PostgreSQL's own user where there is one (macOS underlines it), so its files look at home. */
const names = ['postgres', '_postgres', 'nobody']

export async function findServiceUser(passwdFile = '/etc/passwd'): Promise<Account | undefined> {
  const content = await readFile(passwdFile, 'utf8').catch(() => '')
  const accounts = new Map(content.split('\n').map(parseEntry))
  return names.map((name) => accounts.get(name)).find((account) => account !== undefined)
}

/** `name:password:uid:gid:...`; an entry that gives no ordinary user has no account. */
function parseEntry(line: string): [name: string, account: Account | undefined] {
  const [name = '', , uidText, gidText] = line.split(':')
  const [uid, gid] = [Number(uidText), Number(gidText)]
  return [name, uid > 0 && gid > 0 ? { uid, gid } : undefined]
}

/** `initdb` insists on one; `docker run --user 1234` is a usual way not to have it. */
export function hasPasswdEntry(): boolean {
  try {
    userInfo()
    return true
  } catch {
    return false
  }
}
