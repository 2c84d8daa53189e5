/**
 * The password of the cluster's only role: random, in a file that only this user can read. It is on
 * disk before `initdb` uses it, so a crash in between never leaves a cluster nobody can enter.
 */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { runCommand } from './binaries/run-command.ts'
import type { Toolchain } from './binaries/toolchain.ts'
import { writeFileAtomic } from './data-directory/atomic-file.ts'
import type { DataDir } from './data-directory/data-dir.ts'
import { EmbeddedError, EmbeddedErrorCode } from './data-directory/embedded-error.ts'

export const roleName = 'punctual'

/** Undefined when there is none yet, or when the file was deleted. */
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
 * Gives an existing cluster a password through single-user mode, which asks for none. To be stored
 * afterwards: until then the file stays absent, and the next start does the same again.
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
    `The password file of ${cluster} is gone and a new password could not be set:\n${output}`,
  )
}
