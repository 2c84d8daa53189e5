/**
 * The password of the cluster's only role: random, in a file that only this user can read. It is
 * written before `initdb` uses it, so a crash in between never leaves an inaccessible cluster.
 */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { runCommand } from './binaries/run-command.ts'
import type { Toolchain } from './binaries/toolchain.ts'
import { writeFileAtomic } from './data-directory/atomic-file.ts'
import type { DataDir } from './data-directory/data-dir.ts'
import { EmbeddedError, EmbeddedErrorCode } from './data-directory/embedded-error.ts'

export const roleName = 'punctual'

/** Undefined when the file does not exist yet, or was deleted. */
export async function readPassword({ passwordFile }: DataDir): Promise<string | undefined> {
  const content = await readFile(passwordFile, 'utf8').catch(() => '')
  return content.trim() || undefined
}

export async function storePassword({ passwordFile }: DataDir, password: string): Promise<void> {
  await writeFileAtomic(passwordFile, `${password}\n`, 0o600)
}

/** URL-safe characters only: a password is part of a connection URL and of an SQL literal. */
export function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

/**
 * Sets a password on an existing cluster through single-user mode, which needs none. The caller
 * stores it afterwards: until then the file is missing, and the next start resets it again.
 */
export async function resetPassword(
  toolchain: Toolchain,
  { cluster }: DataDir,
  password: string,
  signal: AbortSignal,
): Promise<void> {
  const { ok, output } = await runCommand(
    toolchain.command('postgres', ['--single', '-D', cluster, 'postgres']),
    { input: `alter role ${roleName} password '${password}'\n`, deadlineMs: 600_000, signal },
  )
  if (ok && !/^.*(ERROR|FATAL|PANIC):/m.test(output)) return
  throw new EmbeddedError(
    EmbeddedErrorCode.StartFailed,
    `The password file of ${cluster} is missing, and a new password could not be set:\n${output}`,
  )
}
