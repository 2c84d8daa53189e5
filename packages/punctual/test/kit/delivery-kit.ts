/** Worker processes that can be killed, a reaper with the shortest lease, and a file of effects. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { eventually, migratedDatabase } from '@punctual/testkit'
import { Punctual, type PunctualOptions } from 'punctual'

const script = new URL('../children/delivery.mjs', import.meta.url)

/** The steps of each attempt: see children/delivery.mjs. */
export type Steps = readonly (readonly (readonly [act: string, argument?: unknown])[])[]

interface KitOptions extends Pick<PunctualOptions, 'logger'> {
  readonly url?: string
  /** The lease that the reaper assumes. @default the shortest allowed */
  readonly leaseMs?: number
}

export interface WorkerProcess {
  readonly child: ChildProcess
  readonly lines: readonly string[]
  /** Resolves when the run has begun this attempt here. */
  started(runId: string, attempt?: number): Promise<void>
  /** Sends SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>
}

export class DeliveryKit {
  readonly url: string
  readonly punctual: Punctual
  readonly #folder: string
  readonly #drop: () => Promise<void>
  readonly #workers: WorkerProcess[] = []
  readonly #others: Punctual[] = []

  private constructor(url: string, punctual: Punctual, folder: string, drop: () => Promise<void>) {
    this.url = url
    this.punctual = punctual
    this.#folder = folder
    this.#drop = drop
  }

  /** Opens the kit on the named database, else on a separate one. */
  static async open(options: KitOptions = {}): Promise<DeliveryKit> {
    const { logger = false } = options
    const database = options.url
      ? { url: options.url, drop: async () => undefined }
      : await migratedDatabase()
    const punctual = await Punctual.start({
      databaseUrl: database.url,
      roles: ['reaper'],
      worker: { leaseMs: options.leaseMs ?? 1_000 },
      logger,
    })
    const folder = await mkdtemp(join(tmpdir(), 'punctual-delivery-'))
    await writeFile(join(folder, 'effects'), '')
    return new DeliveryKit(database.url, punctual, folder, database.drop)
  }

  /** Another instance in this process. */
  async node(options: PunctualOptions = {}): Promise<Punctual> {
    const worker = { leaseMs: 30_000, ...options.worker }
    const base = { databaseUrl: this.url, migrate: false, roles: ['worker'] as const }
    const node = await Punctual.start({ ...base, ...options, worker })
    this.#others.push(node)
    return node
  }

  async worker(env: Readonly<Record<string, string>> = {}): Promise<WorkerProcess> {
    const EFFECTS = join(this.#folder, 'effects')
    const child = spawn(process.execPath, [script.pathname], {
      env: { ...process.env, DATABASE_URL: this.url, EFFECTS, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    const lines: string[] = []
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
    const started = (runId: string, attempt = 1) =>
      eventually(`run ${runId} begins its attempt ${attempt}`, () =>
        lines.includes(`start ${runId} ${attempt}`),
      )
    const kill = () => {
      child.kill('SIGKILL')
      return exited
    }
    const worker = { child, lines, started, kill }
    this.#workers.push(worker)
    await eventually('the worker is ready', () => lines.includes('ready') || child.killed)
    return worker
  }

  async submit(steps: Steps, options: object = {}): Promise<string> {
    return (await this.punctual.submit('work', { steps }, options)).id
  }

  /** The attempts that have had an effect, by run. */
  async effects(): Promise<ReadonlyMap<string, readonly number[]>> {
    const effects = new Map<string, number[]>()
    const text = await readFile(join(this.#folder, 'effects'), 'utf8')
    for (const line of text.split('\n').filter(Boolean)) {
      const [id, attempt] = line.split(' ') as [string, string]
      effects.set(id, [...(effects.get(id) ?? []), Number(attempt)])
    }
    return effects
  }

  /** Resolves when the run has had an effect. */
  happened(id: string): Promise<void> {
    return eventually(`run ${id} has an effect`, async () => (await this.effects()).has(id))
  }

  async sql<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
    const client = await this.punctual.store.database.connect()
    try {
      return (await client.query(text, values)).rows as T[]
    } finally {
      await client.end()
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.kill()))
    await Promise.all(this.#others.map((node) => node.stop({ drainMs: 0 })))
    await this.punctual.stop()
    await rm(this.#folder, { recursive: true, force: true })
    await this.#drop()
  }
}
