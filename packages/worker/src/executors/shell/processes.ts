/**
 * The processes of this machine as /proc shows them. Where there is no /proc the list is empty, and
 * a command is ended by its process group alone.
 */
import { readdirSync, readFileSync } from 'node:fs'

/** Where a process cannot be identified, its id alone would also match a later process. */
const NO_PROC = '0'
const PAGE_BYTES = 4_096

export interface ProcessFacts {
  readonly pid: number
  readonly parent: number
  readonly session: number
  /** When it started, in ticks since the machine did: with the id it identifies the process. */
  readonly startedAt: string
  readonly bytes: number
  /** It has ended, and its parent has not looked yet. */
  readonly isZombie: boolean
}

/** Reads the line of a process; null when it has ended. */
function readProcess(pid: number): ProcessFacts | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return null
  }
}

/** The name of the program is in parentheses, and may itself have spaces and parentheses. */
function parseStat(line: string): ProcessFacts {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return {
    pid: Number.parseInt(line, 10),
    parent: Number(fields[1]),
    session: Number(fields[3]),
    startedAt: fields[19] ?? NO_PROC,
    bytes: Number(fields[21]) * PAGE_BYTES,
    isZombie: fields[0] === 'Z',
  }
}

export function listProcesses(): ProcessFacts[] {
  return processIds().flatMap((pid) => readProcess(pid) ?? [])
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

/** Whether the environment with which the process was started has this entry. */
export function hasVariable(pid: number, entry: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1')
    return `\0${environment}`.includes(`\0${entry}\0`)
  } catch {
    return false
  }
}

/** Whether this very process is running: an id may have been given to another one. */
export function isRunning(pid: number, startedAt: string): boolean {
  const found = readProcess(pid)
  if (found) return !found.isZombie && found.startedAt === startedAt
  return startedAt === NO_PROC && signal(pid, 0)
}

export function startOf(pid: number): string {
  return readProcess(pid)?.startedAt ?? NO_PROC
}

/** Returns false when the process has ended. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
