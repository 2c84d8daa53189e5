/**
 * A server as a child process: started without root privileges, ready when its output says so, and
 * ended with the test process.
 *
 * It is always killed, never asked to stop: tests need no data from it afterwards, and the meaning
 * of SIGTERM differs between versions (PgBouncer 1.23 and later wait for their clients).
 */
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { chown, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The user `nobody`. PgBouncer and PostgreSQL refuse to run as root. */
const UNPRIVILEGED_ID = 65_534
const START_TIMEOUT_MS = 20_000
const OUTPUT_KEPT_CHARS = 8_000

export interface ServerProcessOptions {
  readonly program: string
  readonly args: readonly string[]
  readonly directory: string
  /** Matches the server's output once it listens. */
  readonly readyLine: RegExp
  /** Whether the server keeps the user of this process, also root. @default false */
  readonly keepsUser?: boolean
}

export interface ServerProcess {
  /** Kills the server and resolves once it has exited. Idempotent. */
  kill(): Promise<void>
}

/** Creates a directory that the server may write to as any user. */
export async function createServerDirectory(name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `punctual-${name}-`))
  if (isRoot()) await chown(directory, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
  return directory
}

export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const child = spawnUnprivileged(options)
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  async function kill(): Promise<void> {
    process.off('exit', killAtExit)
    child.kill('SIGKILL')
    await exited
  }
  try {
    await untilReady(child, options)
  } catch (error) {
    await kill()
    throw error
  }
  return { kill }
}

function untilReady(child: ChildProcess, options: ServerProcessOptions): Promise<void> {
  let output = ''
  return new Promise((resolve, reject) => {
    const fail = (what: string, cause?: Error) => {
      clearTimeout(deadline)
      reject(new Error(`${options.program} ${what}. Its output:\n${output}`, { cause }))
    }
    const deadline = setTimeout(
      () => fail(`was not ready within ${START_TIMEOUT_MS} ms`),
      START_TIMEOUT_MS,
    )
    // Reading continues after the start, otherwise a full pipe would block the server.
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_KEPT_CHARS)
      if (!options.readyLine.test(output)) return
      clearTimeout(deadline)
      resolve()
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('error', (error) => fail('could not be started', error))
    child.once('close', (code, signal) => fail(`ended with ${signal ?? `code ${code}`}`))
  })
}

function spawnUnprivileged(given: ServerProcessOptions): ChildProcess {
  const { program, args, directory, keepsUser = false } = given
  const drop = isRoot() && !keepsUser
  const options: SpawnOptions = { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] }
  const id = UNPRIVILEGED_ID
  if (!canTieToParent()) {
    return spawn(program, args, drop ? { ...options, uid: id, gid: id } : options)
  }
  // Changing the user clears the parent-death signal, so setpriv does both in the right order.
  const user = drop ? [`--reuid=${id}`, `--regid=${id}`, '--clear-groups'] : []
  return spawn('setpriv', [...user, '--pdeathsig=KILL', program, ...args], options)
}

/** Whether the kernel can end the server when the test process is killed without warning. */
function canTieToParent(): boolean {
  try {
    execFileSync('setpriv', ['--pdeathsig=KILL', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}
