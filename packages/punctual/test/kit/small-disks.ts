/**
 * A PostgreSQL whose WAL and tablespace are on small disks, in a process with a private mount
 * namespace: no other process sees the disks, and they disappear with it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const script = new URL('../children/small-disks.mjs', import.meta.url)
const OWN_MOUNTS = ['--map-root-user', '--mount']

/** Whether this machine allows private mount namespaces. */
export const canMount =
  spawnSync('unshare', [...OWN_MOUNTS, 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0

export type Disk = 'log' | 'tables'

export class SmallDisks {
  /** The URL of the database whose tables are on the small disk. */
  readonly url: string
  readonly #child: ChildProcess
  readonly #root: string
  readonly #next: () => Promise<string>

  private constructor(child: ChildProcess, root: string, url: string, next: () => Promise<string>) {
    this.#child = child
    this.#root = root
    this.url = url
    this.#next = next
  }

  static async start(): Promise<SmallDisks> {
    const root = await mkdtemp(join(tmpdir(), 'punctual-disks-'))
    const child = spawn('unshare', [...OWN_MOUNTS, process.execPath, script.pathname, root], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async () => String((await lines.next()).value)
    const [said, url = ''] = (await next()).split(' ')
    if (said !== 'ready') throw new Error(`The server with small disks did not start: ${said}`)
    return new SmallDisks(child, root, url, next)
  }

  /** Fills the disk completely. */
  fill(disk: Disk): Promise<void> {
    return this.#send(`fill ${disk}`)
  }

  free(disk: Disk): Promise<void> {
    return this.#send(`free ${disk}`)
  }

  async #send(line: string): Promise<void> {
    this.#child.stdin?.write(`${line}\n`)
    const answer = await this.#next()
    if (answer !== 'done') throw new Error(`The server with small disks did not ${line}: ${answer}`)
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.stdin?.end()
    await ended
    await rm(this.#root, { recursive: true, force: true })
  }
}
