/** What a child of the campaign is told by its parent, through its environment. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger, PunctualOptions } from 'punctual'

export interface ChildSettings {
  readonly name: string
  /** Empty for those that have no database. */
  readonly databaseUrl: string
  /** Where the API nodes are, for those that ask them. */
  readonly servers?: readonly string[]
  /** Where it listens itself, if it is a node. */
  readonly port?: number | undefined
  /** Where its ledger and its log go. */
  readonly directory: string
  readonly leaseMs: number
  readonly seed: number
  /** What only some children are told. */
  readonly more: Readonly<Record<string, unknown>>
}

/** Keys of the API, as `more` has them. */
export interface ChaosKeys {
  readonly submit: string
  readonly worker: string
}

const VARIABLE = 'CHAOS_CHILD'

export function toEnvironment(settings: ChildSettings): Record<string, string> {
  return { [VARIABLE]: JSON.stringify(settings) }
}

export function readSettings(): ChildSettings {
  const text = process.env[VARIABLE]
  if (!text) throw new Error(`${VARIABLE} is not set: children are started by the campaign.`)
  return JSON.parse(text) as ChildSettings
}

/** The options that all children share. */
export function libraryOptions(settings: ChildSettings): PunctualOptions {
  const { databaseUrl, leaseMs, more } = settings
  return {
    databaseUrl,
    migrate: false,
    drainMs: 2_000,
    // As little as may be: what was planned before the faults began would tell nothing of planners.
    planAheadMs: 10_000,
    worker: { leaseMs, concurrency: (more.concurrency as number | undefined) ?? 20 },
    logger: fileLogger(settings),
  }
}

function fileLogger({ directory, name }: ChildSettings): Logger {
  const file = join(directory, `${name}.log`)
  const write = (level: string) => (fields: object, message: string) =>
    appendFileSync(
      file,
      `${new Date().toISOString()} ${process.pid} ${level} ${message} ${shown(fields)}\n`,
    )
  const [info, warn, error] = [write('info'), write('warn'), write('error')]
  return { debug: () => undefined, info, warn, error }
}

function shown(fields: object): string {
  return JSON.stringify(fields, (_, value) => (value instanceof Error ? value.message : value))
}

/** Says that it is ready, and stops in an orderly way when it is asked to. */
export function serveUntilStopped(stop: () => Promise<void>): void {
  process.on('SIGTERM', () => {
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  })
  // The parent is gone: nobody else would end this process.
  process.on('disconnect', () => process.exit(0))
  process.send?.({ ready: true })
}
