/** Looks up who to become when this process is root, and whether this user has a name at all. */
import { userInfo } from 'node:os'
import type { Account } from './launcher.ts'
import { runCommand } from './run-command.ts'

/** PostgreSQL's own user where there is one, so that its files look at home. */
const names = ['postgres', 'nobody']

export async function findServiceUser(): Promise<Account | undefined> {
  for (const name of names) {
    const uid = await accountNumber('-u', name)
    const gid = await accountNumber('-g', name)
    if (uid !== undefined && gid !== undefined) return { uid, gid }
  }
  return undefined
}

async function accountNumber(flag: '-u' | '-g', name: string): Promise<number | undefined> {
  const { ok, output } = await runCommand({ file: 'id', args: [flag, name] })
  const value = Number(output)
  return ok && Number.isInteger(value) && value > 0 ? value : undefined
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
