/** Removes the temporary directories that killed test runs left behind. */
import { readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'punctual-test-postgres-'
/** A directory younger than this may belong to a run that this process cannot see. */
const ageMinMs = 60 * 60_000

/** The name carries the process id of the run, so that a later run can check whether it lives. */
export function directoryPrefix(pid: number): string {
  return `${prefix}${pid}-`
}

export async function removeAbandonedDirectories(folder = tmpdir(), now = Date.now()) {
  const names = await readdir(folder)
  for (const name of names.filter((name) => name.startsWith(prefix))) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    const isOld = found !== undefined && now - found.mtimeMs > ageMinMs
    const pid = Number.parseInt(name.slice(prefix.length), 10)
    // A directory of another user cannot be removed, and is not this run's to report.
    if (isOld && !isRunning(pid)) await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
