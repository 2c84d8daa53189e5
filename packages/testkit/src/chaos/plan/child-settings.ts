/** The settings that a parent passes to a child of the campaign through its environment. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger, PunctualOptions } from 'punctual'

export interface ChildSettings {
  readonly name: string
  /** Empty for children without a database. */
  readonly databaseUrl: string
  /** The addresses of the API nodes, for children that use them. */
  readonly servers?: readonly string[]
  /** The port on which a node listens. */
  readonly port?: number | undefined
  /** The directory of its ledger and log. */
  readonly directory: string
  readonly leaseMs: number
  readonly seed: number
  /** Settings of certain children only. */
  readonly more: Readonly<Record<string, unknown>>
}

/** The API keys in `more`. */
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
    // As short as possible: slots planned before the faults begin would not test the planners.
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

/** Reports that it is ready, and stops in order on request. */
export function serveUntilStopped(stop: () => Promise<void>): void {
  process.on('SIGTERM', () => {
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  })
  // The parent is gone: no other process would end this one.
  process.on('disconnect', () => process.exit(0))
  process.send?.({ ready: true })
}
