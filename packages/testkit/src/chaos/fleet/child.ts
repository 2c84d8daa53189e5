/**
 * One process of the product: started, killed, stopped and continued, asked to exit, and restarted
 * when it exits by itself, as a service manager does. It reaches the servers only through its
 * proxy.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import type { TcpProxy } from '../../net/tcp-proxy.ts'
import { type ChildSettings, toEnvironment } from '../plan/child-settings.ts'
import { monotonicMs } from '../plan/ledger.ts'
import { FakedClock } from './faked-clock.ts'

/** `node` serves the HTTP API; `remote` is a worker that only uses that API. */
export const parts = ['planner', 'node', 'worker', 'remote', 'submitter'] as const
export type Part = (typeof parts)[number]
/** The number of processes of each part; a missing part has none. */
export type Sizes = Readonly<Partial<Record<Part, number>>>

export interface ChildOptions {
  readonly part: Part
  readonly program: string
  readonly settings: ChildSettings
  readonly proxy: TcpProxy
}

/** When a process started and ended. */
export interface Life {
  readonly pid: number
  readonly fromMs: number
  untilMs: number | null
}

const RESTART_MS = 300

export class Child {
  readonly options: ChildOptions
  readonly lives: Life[] = []
  /** Exits that no fault caused: a process of the product must survive every other fault. */
  readonly ownDeaths: string[] = []
  readonly clock: FakedClock
  #process: ChildProcess | null = null
  #ready: Promise<void> = Promise.resolve()
  #exited: Promise<void> = Promise.resolve()
  /** Whether it is restarted when it exits. */
  #wanted = false
  /** A fault is using it: other faults leave it alone. */
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

  /** Starts it and keeps it running; resolves when it reports that it is ready. */
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
    // A process that cannot start, because the database is away, exits and is restarted.
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

  /** Kills it and waits for its exit; it stays away until `start`. */
  async kill(): Promise<void> {
    this.#wanted = false
    // A stopped process reacts to no other signal.
    this.signal('SIGKILL')
    await this.#exited
  }

  /** Asks it to exit, and kills it after `patienceMs`; it stays away until `start`. */
  async end(patienceMs: number): Promise<void> {
    this.#wanted = false
    this.signal('SIGTERM')
    const late = setTimeout(() => this.signal('SIGKILL'), patienceMs)
    await this.#exited
    clearTimeout(late)
  }
}
