/**
 * Finds and ends the processes of one cluster that outlived their supervisor: a server whose Node
 * process was killed, or backends whose postmaster was killed. They must end before a server may
 * start again, because they still hold the old shared memory and write to the same files.
 *
 * PostgreSQL shows `cluster_name` in the title of each of its processes, and the supervisor sets it
 * to the tag of the data directory. Titles can be read even for processes of other users, unlike
 * their working directory. Fails with EMBEDDED_DATA_DIR_IN_USE when a process does not end.
 */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { DataDir } from './data-dir.ts'
import { EmbeddedError, EmbeddedErrorCode } from './embedded-error.ts'
import { isSignalable } from './process-identity.ts'
import { waitUntil } from './wait-until.ts'

interface ClusterProcess {
  readonly pid: number
  readonly isPostmaster: boolean
}

/** The signals for each kind of process, with increasing force, and the wait after each. */
const postmasterRequests = [
  { signal: 'SIGINT', waitMs: 30_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const
const orphanRequests = [
  // Idle backends notice by themselves that the postmaster has ended.
  { signal: undefined, waitMs: 1_000 },
  { signal: 'SIGQUIT', waitMs: 3_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const

export async function endClusterProcesses(dataDir: DataDir, abort?: AbortSignal): Promise<void> {
  const found = await listClusterProcesses(dataDir.tag)
  const hasPostmaster = found.some(({ isPostmaster }) => isPostmaster)
  const noneLeft = async () => (await listClusterProcesses(dataDir.tag)).length === 0
  for (const { signal, waitMs } of hasPostmaster ? postmasterRequests : orphanRequests) {
    if (signal) await signalAll(dataDir.tag, signal, hasPostmaster)
    if (await waitUntil(noneLeft, waitMs, abort ? { signal: abort } : {})) {
      return removeBlockingPidFile(dataDir)
    }
  }
  const pids = (await listClusterProcesses(dataDir.tag)).map(({ pid }) => pid).join(', ')
  throw new EmbeddedError(
    EmbeddedErrorCode.DataDirInUse,
    `An earlier server still uses ${dataDir.root} and does not end: process ${pids}. End it, then start again.`,
  )
}

/** A postmaster ends its own children, unless it is killed. */
async function signalAll(tag: string, signal: NodeJS.Signals, hasPostmaster: boolean) {
  for (const { pid, isPostmaster } of await listClusterProcesses(tag)) {
    if (hasPostmaster && !isPostmaster && signal !== 'SIGKILL') continue
    try {
      process.kill(pid, signal)
    } catch {
      // The process has ended since it was listed, or belongs to another user: the wait shows
      // which.
    }
  }
}

/**
 * PostgreSQL refuses to start while the process named in its pid file runs, even when another
 * program has received that pid since. The cluster has no process left, so such a file is stale.
 */
async function removeBlockingPidFile({ postmasterFile }: DataDir): Promise<void> {
  const pid = Number.parseInt(await readFile(postmasterFile, 'utf8').catch(() => ''), 10)
  if (pid > 0 && isSignalable(pid)) await rm(postmasterFile, { force: true })
}

async function listClusterProcesses(tag: string): Promise<ClusterProcess[]> {
  const commandLines = process.platform === 'linux' ? readProc() : await readPs()
  return commandLines.flatMap(({ pid, args }) => {
    const isPostmaster = args.includes(`cluster_name=${tag}`)
    const isChild = args.join(' ').startsWith(`postgres: ${tag}: `)
    return isPostmaster || isChild ? [{ pid, isPostmaster }] : []
  })
}

interface CommandLine {
  readonly pid: number
  readonly args: readonly string[]
}

/** Reads synchronously: the kernel answers immediately, and a hundred promises cost more. */
function readProc(): CommandLine[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map((pid) => ({ pid: Number(pid), args: commandLineOf(pid).split('\0') }))
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // The process has ended since it was listed.
  }
}

async function readPs(): Promise<CommandLine[]> {
  if (process.platform === 'win32') return []
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,command='])
  return stdout.split('\n').map((line) => {
    const [pid, ...args] = line.trim().split(' ')
    return { pid: Number(pid), args }
  })
}
