/**
 * Identifies a process uniquely, even after its process id was reused: by its start time, within
 * the scope (one boot and one pid namespace) in which process ids have a meaning.
 */
import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'

export interface ProcessIdentity {
  readonly pid: number
  /** Opaque mark of the start time; equal marks and ids mean the same process. */
  readonly startMark: string
  /** Where the process id is valid. Whether a process of another scope runs cannot be known. */
  readonly scope: string
}

export async function ownIdentity(): Promise<ProcessIdentity> {
  return {
    pid: process.pid,
    startMark: (await startMark(process.pid)) ?? 'unknown',
    scope: await processScope(),
  }
}

/** Whether exactly this process still runs. Only meaningful within this process's scope. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  return (await startMark(identity.pid)) === identity.startMark
}

/** Whether a process has this id. A zombie, which only waits to be reaped, does not count. */
export async function isAlive(pid: number): Promise<boolean> {
  return (await startMark(pid)) !== undefined
}

async function processScope(): Promise<string> {
  if (process.platform !== 'linux') return hostname()
  const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => hostname())
  const pidNamespace = await readlink('/proc/self/ns/pid').catch(() => '')
  return `${bootId.trim()}/${pidNamespace}`
}

/** Undefined when no such process is alive. */
async function startMark(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return linuxStartMark(pid)
  if (process.platform === 'win32') return isSignalable(pid) ? 'running' : undefined
  const ps = promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)])
  return ps.then(
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined,
  )
}

async function linuxStartMark(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The second field is the program's name in parentheses and may itself contain parentheses and
  // spaces, so fields are counted from the last one: state is the 3rd, the start time the 22nd.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  const state = fields?.[0]
  return state === 'Z' || state === 'X' ? undefined : fields?.[19]
}

/** Whether the system knows the id; includes zombies. */
export function isSignalable(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
