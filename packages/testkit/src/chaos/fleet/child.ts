/**
 * One process of the product: started, killed, stopped and continued, asked to end, and started
 * again when it ends by itself, as whatever runs services would do. It reaches the servers only
 * through its proxy.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import type { TcpProxy } from '../net/tcp-proxy.ts'
import { type ChildSettings, toEnvironment } from '../plan/child-settings.ts'
import { monotonicMs } from '../plan/ledger.ts'
import { FakedClock } from './faked-clock.ts'

/** `node` serves the HTTP API; `remote` is a worker that has nothing else. */
export const parts = ['planner', 'node', 'worker', 'remote', 'submitter'] as const
export type Part = (typeof parts)[number]
/** How many there are of each; of those that are not named there are none. */
export type Sizes = Readonly<Partial<Record<Part, number>>>

export interface ChildOptions {
  readonly part: Part
  readonly program: string
  readonly settings: ChildSettings
  readonly proxy: TcpProxy
}

/** From when to when a process lived. */
export interface Life {
  readonly pid: number
  readonly fromMs: number
  untilMs: number | null
}

const RESTART_MS = 300

export class Child {
  readonly options: ChildOptions
  readonly lives: Life[] = []
  /** How it ended when nobody had asked it to: a process of the product outlives every fault. */
  readonly ownDeaths: string[] = []
  readonly clock: FakedClock
  #process: ChildProcess | null = null
  #ready: Promise<void> = Promise.resolve()
  #exited: Promise<void> = Promise.resolve()
  /** Whether it is started again when it ends. */
  #wanted = false
  /** A fault has it: others leave it alone. */
  busy = false

  constructor(options: ChildOptions) {
    this.options = options
    this.clock = new FakedClock(options.settings.directory, options.settings.name)
  }

  get name(): string {
    return this.options.settings.name
  }
  get part(): Part {
    return this.options.part
  }
  get pid(): number | undefined {
    return this.#process?.pid
  }

  /** Begins, and keeps it going; resolves when it says that it is ready, if it ever does. */
  start(): Promise<void> {
    this.#wanted = true
    this.#spawn()
    return this.#ready
  }

  #spawn(): void {
    const { program, settings } = this.options
    const output = openSync(join(settings.directory, `${this.name}.out`), 'a')
    const child = fork(program, [], {
      env: { ...process.env, ...this.clock.environment, ...toEnvironment(settings) },
      stdio: ['ignore', output, output, 'ipc'],
      execArgv: [],
    })
    this.#process = child
    const life: Life = { pid: child.pid ?? 0, fromMs: monotonicMs(), untilMs: null }
    this.lives.push(life)
    // One that cannot start, because the database is away, ends and is started again.
    let wasReady = false
    this.#exited = new Promise((resolve) =>
      child.once('exit', (code, signal) => {
        life.untilMs = monotonicMs()
        if (this.#wanted && wasReady) this.ownDeaths.push(`${this.name} ended: ${signal ?? code}`)
        if (this.#process === child) this.#process = null
        resolve()
        if (this.#wanted)
          setTimeout(() => this.#wanted && !this.#process && this.#spawn(), RESTART_MS)
      }),
    )
    child.on('error', () => undefined)
    this.#ready = new Promise((resolve) => {
      child.once('message', () => {
        wasReady = true
        resolve()
      })
      child.once('exit', () => resolve())
    })
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal)
  }

  /** Kills it and waits until it is gone; it stays away until `start`. */
  async kill(): Promise<void> {
    this.#wanted = false
    // One that is stopped cannot die of anything else.
    this.signal('SIGKILL')
    await this.#exited
  }

  /** Asks it to end, and kills it when it takes too long; it stays away until `start`. */
  async end(patienceMs: number): Promise<void> {
    this.#wanted = false
    this.signal('SIGTERM')
    const late = setTimeout(() => this.signal('SIGKILL'), patienceMs)
    await this.#exited
    clearTimeout(late)
  }
}
