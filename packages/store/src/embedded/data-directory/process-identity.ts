/**
 * Tells one process from every other, also from a later one that got the same process id: by the
 * moment it started, within a scope (one boot and one pid namespace) where ids mean anything.
 */
import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'

export interface ProcessIdentity {
  readonly pid: number
  /** Opaque mark of the moment the process started; equal marks and ids mean the same process. */
  readonly startMark: string
  /** Where the process id is valid. Nothing can be said about a process of another scope. */
  readonly scope: string
}

export async function ownIdentity(): Promise<ProcessIdentity> {
  return {
    pid: process.pid,
    startMark: (await startMark(process.pid)) ?? 'unknown',
    scope: await processScope(),
  }
}

/** Whether exactly this process still runs. Only meaningful within the own scope. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  return (await startMark(identity.pid)) === identity.startMark
}

/** Whether a process has this id; a zombie, which only waits to be collected, does not count. */
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

/** Whether the system still knows the id, be it that of a zombie. */
export function isSignalable(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
