/**
 * The directory with one folder for each worker process, and in it one record for each of its
 * commands. A worker that was killed could not end its commands: the next one finds their records
 * and ends them before it starts its own.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PunctualError } from '@punctual/core/errors'
import { ProcessTree } from './process-tree.ts'
import { isRunning, startOf } from './processes.ts'

const OWNER = /^worker-(\d+)-(\d+)$/
const RECORD = '.json'
/** No process has this id. */
const NONE = 0

interface Record {
  readonly pid: number
  readonly startedAt: string
}

/** Opens the folder of this process; `root` is shared by all workers of this user. */
export function openFolder(root: string): string {
  mkdirSync(root, { recursive: true, mode: 0o700 })
  refuseForeign(root)
  const folder = join(root, `worker-${process.pid}-${startOf(process.pid)}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Another user who owns the directory, or can write to it, could exchange what is in it. */
function refuseForeign(root: string): void {
  const found = lstatSync(root)
  if (!found.isDirectory() || found.uid !== process.getuid?.())
    throw new PunctualError(
      'invalid_config',
      `The directory ${root} for commands must be a directory of the user of this worker. Remove it, or set TMPDIR to a directory of this user.`,
    )
  if ((found.mode & 0o077) !== 0) chmodSync(root, 0o700)
}

/** Notes a command before it starts, and returns the directory of its attempt. */
export function noteCommand(folder: string, mark: string): string {
  writeFileSync(join(folder, mark + RECORD), '', { mode: 0o600 })
  const directory = join(folder, mark)
  mkdirSync(directory, { mode: 0o700 })
  return directory
}

export function noteStarted(folder: string, mark: string, pid: number): void {
  const record: Record = { pid, startedAt: startOf(pid) }
  writeFileSync(join(folder, mark + RECORD), JSON.stringify(record), { mode: 0o600 })
}

/** Files that the command made unreadable for its own user stay until the folder is removed. */
export async function forgetCommand(folder: string, mark: string): Promise<void> {
  await rm(join(folder, mark), { recursive: true, force: true }).catch(() => undefined)
  await rm(join(folder, mark + RECORD), { force: true })
}

type Pause = () => Promise<void>

/** Ends the commands of all workers that are gone. Returns how many commands were found. */
export async function endLeftovers(root: string, pause: Pause): Promise<number> {
  let found = 0
  for (const name of readdirSync(root)) {
    const [, pid = '', startedAt = ''] = OWNER.exec(name) ?? []
    if (pid === '' || isRunning(Number(pid), startedAt)) continue
    found += await endCommandsOf(join(root, name), pause)
  }
  return found
}

/** Ends the commands that a folder notes, and removes it. */
export async function endCommandsOf(folder: string, pause: Pause): Promise<number> {
  let found = 0
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(RECORD)) continue
    const mark = name.slice(0, -RECORD.length)
    const tree = new ProcessTree({ mark, root: rootOf(join(folder, name)), byMark: true })
    await tree.kill(pause)
    found++
  }
  await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  return found
}

/** The first process of a command, when it is still that one; else none. */
function rootOf(file: string): number {
  try {
    const { pid, startedAt }: Record = JSON.parse(readFileSync(file, 'utf8'))
    return isRunning(pid, startedAt) ? pid : NONE
  } catch {
    // The worker was killed before it knew the process: the mark finds it.
    return NONE
  }
}
